import { expect, test } from "vitest";
import type { GitHubHost } from "../parts/github-host/host.ts";
import { loopFile } from "../parts/terminal.ts";
import { eventFile, jobOf, openRepository, stateOf } from "./github-job.ts";

const gated = loopFile(
  "prompt: 'work [$LOOP_USER_INPUT]'\nuntil: DONE\nmax_iterations: 9\ninteractive: true\ngate_message: look",
  "interactive: true\n",
);
const once = loopFile("prompt: go\nuntil: DONE\nmax_iterations: 1");
const agent = 'read -r prompt; case "$prompt" in *maps*) echo DONE;; *) echo did;; esac';
const run = "comment-run-0a1b2c3d";

test("a job started by a comment approves the gate and resumes the run", async () => {
  const { host, comment } = await open();
  const first = await jobOf(host, {
    id: 1,
    inputs: { workflow: "w.yml", "run-id": run, "agent-command": agent },
  });
  expect(first.outputs["conclusion"]).toBe("paused");
  const answered = await comment("ada", `/workflow approve ${run}\nuse maps`);
  expect(answered.outputs, answered.log.join("\n")).toMatchObject({ conclusion: "success", "run-id": run });
  expect(host.reactions.map(({ content }) => content)).toEqual(["eyes", "+1"]);
  expect(host.dispatches).toEqual([]);
  expect(stateOf(host, run).status.summary.state).toBe("ended");
});

test("a re-run of a job that was lost after the end of its run shows that end", async () => {
  const { host, comment } = await open();
  const inputs = { workflow: "w.yml", "run-id": run, "agent-command": agent };
  await jobOf(host, { id: 1, inputs });
  const words = `/workflow approve ${run}\nuse maps`;
  const answered = await comment("ada", words);
  expect(answered.outputs, answered.log.join("\n")).toMatchObject({ conclusion: "success" });
  const shown = async () => {
    const comments = await host.as("octocat", "GET /issues/1/comments");
    return comments.find(({ body }: { readonly body: string }) => body.includes(`until-green:run=${run}`));
  };
  const { id, body } = await shown();
  expect(body).toContain("succeeded");
  const before = `<!-- until-green:run=${run} -->\n### ⏳ t is running`;
  await host.as("github-actions[bot]", `PATCH /issues/comments/${id}`, { body: before });
  await comment("ada", words, { again: true });
  expect((await shown()).body).toBe(body);
});

test("a comment gives more iterations to a run that used them up, and its job continues", async () => {
  const { host, comment } = await open();
  const tries = "if [ -e tried ]; then echo DONE; else touch tried; echo no; fi";
  const inputs = { workflow: "once.yml", "run-id": run, "agent-command": tries };
  const first = await jobOf(host, { id: 1, inputs });
  expect(first.outputs).toMatchObject({ conclusion: "failure", "stop-reason": "max-iterations" });
  const answered = await comment("ada", `/workflow retry ${run} 2`);
  expect(answered.outputs, answered.log.join("\n")).toMatchObject({
    conclusion: "success",
    "run-id": run,
    iterations: "2",
  });
});

test("a comment removes a note that earlier attempts left, and says what is left", async () => {
  const { host, comment } = await open();
  const note = (text: string) => ({ at: "2026-11-22T03:00:00Z", by: "agent", text });
  const record = { v: 1, goal: "topic", attempts: [], notes: [note("one"), note("two")], spent: [] };
  const ref = "refs/until-green/goals/topic";
  const [path, mode, type] = ["goal.json", "100644", "blob"];
  const tree = await host.as("octocat", "POST /git/trees", {
    tree: [{ path, mode, type, content: JSON.stringify(record) }],
  });
  const commit = { message: "notes", tree: tree.sha, parents: [] };
  host.git.git("update-ref", ref, (await host.as("octocat", "POST /git/commits", commit)).sha);
  await comment("eve", "/workflow forget");
  await comment("ada", "/workflow forget 3", { id: 3 });
  await comment("ada", "/workflow forget 1", { id: 4 });
  const kept = JSON.parse(host.git.git("show", `${ref}:goal.json`));
  expect(kept).toEqual({ ...record, notes: [note("two")] });
  const answers = await host.as("ada", "GET /issues/1/comments");
  const bodies = answers.map(({ body }: { body: string }) => body).join("\n");
  expect(bodies).toContain("there is no note 3");
  expect(bodies).toContain("Forgot 1 note. Left:\n\n1. two");
});

test("who may not is refused by the job too, and nothing runs", async () => {
  const { host, comment } = await open();
  await jobOf(host, { id: 1, inputs: { workflow: "w.yml", "run-id": run, "agent-command": agent } });
  const before = stateOf(host, run).seq;
  const answered = await comment("eve", `/workflow approve ${run}\nuse maps`);
  expect(answered.outputs).toMatchObject({ conclusion: "skipped" });
  expect(stateOf(host, run).seq).toBe(before);
  const passed = await comment("ada", "looks good to me", { id: 3 });
  expect(passed.outputs).toMatchObject({ conclusion: "skipped", "run-id": "" });
});

test("a comment whose run cannot be started fails its job", async () => {
  const { host, comment } = await open();
  host.fault(/^POST .*\/dispatches/, { status: 403, message: "Resource not accessible by integration" });
  const asked = await comment("ada", "/workflow run w");
  expect(asked.ok).toBe(false);
  expect(asked.outputs).toMatchObject({ conclusion: "failure" });
  expect(asked.annotations[0]?.message).toContain("could not be started");
});

test("a person's 31st command on a pull request within ten minutes is passed over by its job, others' are not", async () => {
  const { host, comment } = await open();
  for (let count = 1; count <= 30; count++)
    await host.as("ada", "POST /issues/1/comments", { body: "/workflow help" });
  const passed = await comment("ada", "/workflow help");
  expect(passed.annotations[0]?.message).toContain("ada has used 30 commands within ten minutes");
  expect(host.reactions).toEqual([]);
  const reply = await comment("octocat", "/workflow help", { id: 3 });
  expect(reply.annotations[0]?.message).toContain("the comment was processed");
});

test("an approval whose comment was edited before its job began is not used", async () => {
  const { host, comment } = await open();
  await jobOf(host, { id: 1, inputs: { workflow: "w.yml", "run-id": run, "agent-command": agent } });
  const answered = await comment("ada", `/workflow approve ${run}\nuse maps`, {
    edit: "/workflow approve\ndo evil",
  });
  expect(answered.outputs, answered.log.join("\n")).toMatchObject({ conclusion: "failure" });
  expect(answered.log.join("\n")).toContain("was edited since");
});

test("a run that a comment began reads its message from the comment", async () => {
  const { host } = await open();
  const body = "/workflow run w\nthe message";
  const { id } = await host.as("ada", "POST /issues/1/comments", { body });
  const { createHash } = await import("node:crypto");
  const sha256 = createHash("sha256").update(body).digest("hex");
  const inputs = { workflow: "w", "comment-id": String(id), sha256 };
  const job = await jobOf(host, {
    id: 5,
    inputs: { workflow: "w", "agent-command": "cat; echo DONE" },
    github: eventFile("workflow_dispatch", { inputs }),
  });
  expect(job.outputs, job.log.join("\n")).toMatchObject({ conclusion: "success" });
  expect(host.git.git("show", `refs/until-green/${job.outputs["run-id"]}/state:state`)).toContain(
    "the message",
  );
  await host.as("ada", `PATCH /issues/comments/${id}`, { body: "/workflow run w\nsomething else" });
  const again = await jobOf(host, {
    id: 6,
    inputs: { workflow: "w", "agent-command": "cat; echo DONE" },
    github: eventFile("workflow_dispatch", { inputs }),
  });
  expect(again.outputs).toMatchObject({ conclusion: "failure" });
});

async function open() {
  const host = await openRepository({
    users: { ada: "write", eve: "read" },
    files: { "w.yml": gated, "once.yml": once, ".github/loops/w.yml": gated },
  });
  host.git.git("branch", "topic", host.git.git("commit-tree", "main^{tree}", "-p", "main", "-m", "Topic"));
  await host.as("octocat", "POST /pulls", { title: "T", head: "topic", base: "main" });
  return { host, comment: commenter(host) };
}

/** Comments, and runs the job that GitHub would start for it; `edit` changes the comment before that. */
const commenter =
  (host: GitHubHost) =>
  async (login: string, body: string, { id = 2, edit, again = false }: CommentOptions = {}) => {
    const posted = again ? await host.as(login, "GET /issues/1/comments") : [];
    const comment =
      posted.find((one: { readonly body: string }) => one.body === body) ??
      (await host.as(login, "POST /issues/1/comments", { body }));
    if (edit !== undefined) await host.as(login, `PATCH /issues/comments/${comment.id}`, { body: edit });
    const user = { login, type: "User" };
    const payload = {
      action: "created",
      comment: { id: comment.id, body, created_at: comment.created_at, user },
      issue: { number: 1, pull_request: { url: "" }, user: { login: "octocat" } },
      repository: { default_branch: "main" },
      sender: user,
    };
    return await jobOf(host, {
      id,
      inputs: { command: "comment", "agent-command": agent },
      github: { ...eventFile("issue_comment", payload), ...(again && { run_attempt: "2" }) },
    });
  };

interface CommentOptions {
  readonly id?: number;
  readonly edit?: string;
  /** Re-runs the job of the same comment. */
  readonly again?: boolean;
}
