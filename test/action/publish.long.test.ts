import { describe, expect, onTestFinished, test } from "vitest";
import { type GitHubHost, type GitHubHostOptions, openGitHubHost } from "../parts/github-host/host.ts";
import { annotationsOf, session } from "./checkout.ts";
import { recordIn } from "./github-job.ts";
import { commitOn, pullOn, useOnHost } from "./source.ts";

const twoSteps = session(
  { node: "loop", iteration: 1, say: "Tried.", write: { "state.txt": "nearly\n" } },
  { node: "loop", iteration: 2, say: "Done now.", write: { "state.txt": "green\n", "src/new.txt": "n\n" } },
);
const files = { "state.txt": "red\n", "session.yml": twoSteps };
const loop = {
  prompt: "Go",
  "until-bash": "grep -qx green state.txt",
  agent: "scripted:session.yml",
  comment: "none",
  "check-run": "false",
};
const toPull = { ...loop, publish: "pull-request" };

async function hostOf(options: GitHubHostOptions = {}): Promise<GitHubHost> {
  const host = await openGitHubHost({ files, ...options });
  onTestFinished(() => host.close());
  return host;
}

const files1 = (host: GitHubHost, from: string, to: string) =>
  host.git.git("diff", "--name-only", from, to).split("\n");

describe("a run's work", () => {
  test("becomes one pull request, opened by the first run and brought up to date by the next", async () => {
    const host = await hostOf();
    const inputs = { ...toPull, title: "Fix {workflow}", labels: "loop, bot" };
    const first = await useOnHost({ host, inputs });
    expect(first.ok, first.log.join("\n")).toBe(true);
    const branch = "until-green/inline";
    const tip = host.git.git("rev-parse", branch);
    expect(first.outputs).toMatchObject({
      branch,
      "pull-request-number": "1",
      "head-sha": tip,
      conclusion: "success",
    });
    expect(first.outputs["pull-request-url"]).toMatch(/^http.*\/1$/);
    const pull = await host.as("octocat", "GET /pulls/1");
    expect(pull).toMatchObject({
      title: "Fix inline",
      draft: false,
      base: { ref: "main" },
      user: { login: "github-actions[bot]" },
    });
    expect(pull.body).toContain("inline succeeded");
    expect(
      (await host.as("octocat", "GET /issues/1/labels")).map(({ name }: { name: string }) => name),
    ).toEqual(["loop", "bot"]);
    expect(host.git.git("rev-list", "--count", `main..${branch}`)).toBe("1");
    expect(host.git.git("log", "-1", "--format=%B", branch)).toContain(
      `Until-Green-Run: ${first.outputs["run-id"]}`,
    );
    expect(files1(host, "main", branch)).toEqual(["src/new.txt", "state.txt"]);
    // Nothing ran on what the job's own token pushed: people are told which token would change that.
    expect(annotationsOf(first, "notice")[0]?.message).toContain("push-token");

    await commitOn(host, "main", { "other.txt": "o\n" });
    const again = { ...inputs, message: "Once more", "push-token": host.tokenOf("octocat") };
    const second = await useOnHost({ host, inputs: again });
    expect(second.outputs, second.log.join("\n")).toMatchObject({
      "pull-request-number": "1",
      conclusion: "success",
    });
    expect(host.git.git("log", "-1", "--format=%P", branch)).toBe(host.git.git("rev-parse", "main"));
    expect(annotationsOf(second, "notice")).toEqual([]);
    expect(
      host.journal.filter(({ method, path }) => method === "POST" && path.endsWith("/pulls")),
    ).toHaveLength(1);
  });

  test("is a draft while it is red, and no more once it is green", async () => {
    const host = await hostOf();
    const red = await useOnHost({ host, inputs: { ...toPull, "max-iterations": "1" } });
    expect(red.outputs).toMatchObject({
      conclusion: "failure",
      "stop-reason": "max-iterations",
      "pull-request-number": "1",
    });
    expect((await host.as("octocat", "GET /pulls/1")).draft).toBe(true);
    const green = await useOnHost({ host, inputs: toPull });
    expect(green.ok, green.log.join("\n")).toBe(true);
    expect((await host.as("octocat", "GET /pulls/1")).draft).toBe(false);
  });

  test("may be a commit for each iteration, and stays on what others put on the branch", async () => {
    const host = await hostOf();
    const inputs = { ...loop, publish: "branch", branch: "work/it", squash: "false" };
    await useOnHost({ host, inputs });
    const subjects = () => host.git.git("log", "--format=%s", "main..work/it").split("\n");
    expect(subjects()).toEqual(["inline: iteration 2", "inline: iteration 1"]);
    const theirs = await commitOn(host, "work/it", { "theirs.txt": "t\n" });
    const again = await useOnHost({ host, inputs });
    expect(again.ok, again.log.join("\n")).toBe(true);
    expect(host.git.git("merge-base", theirs, "work/it")).toBe(theirs);
    expect(host.git.git("show", "work/it:theirs.txt")).toBe("t");
  });

  test("goes to the head of the pull request it is about, also where that has moved on meanwhile", async () => {
    const host = await hostOf();
    await commitOn(host, "topic", { "new.txt": "new\n" });
    const { payload } = await pullOn(host, "topic");
    const run = { host, ref: "topic", event: "pull_request", payload, inputs: { ...loop, publish: "push" } };
    const before = host.git.git("rev-parse", "topic");
    const result = await useOnHost(run);
    expect(result.outputs, result.log.join("\n")).toMatchObject({
      branch: "topic",
      "head-sha": host.git.git("rev-parse", "topic"),
    });
    expect(host.git.git("log", "-1", "--format=%P", "topic")).toBe(before);
    expect(files1(host, before, "topic")).toEqual(["src/new.txt", "state.txt"]);
  });

  test("leaves workflow files and agents' instructions out, and says so", async () => {
    const write = {
      "state.txt": "green\n",
      ".github/workflows/ci.yml": "evil\n",
      "deep/CLAUDE.md": "evil\n",
    };
    const host = await hostOf({ files: { ...files, "session.yml": session({ say: "Done.", write }) } });
    const result = await useOnHost({ host, inputs: { ...loop, publish: "branch" } });
    expect(result.ok, result.log.join("\n")).toBe(true);
    expect(files1(host, "main", "until-green/inline")).toEqual(["state.txt"]);
    expect(annotationsOf(result, "notice")[0]?.message).toBe(
      "left out, because it may not be published: .github/workflows/ci.yml, deep/CLAUDE.md",
    );
  });

  test.each([
    ["warn", true, "warning"],
    ["fail", false, "error"],
    ["ignore", true, undefined],
  ] as const)("without changes follows `if-no-changes: %s`", async (then, ok, level) => {
    const host = await hostOf({
      files: { ...files, "state.txt": "green\n", "session.yml": session({ say: "Nothing to do." }) },
    });
    const result = await useOnHost({ host, inputs: { ...toPull, "if-no-changes": then } });
    expect(result.ok).toBe(ok);
    if (level !== undefined) expect(annotationsOf(result, level)[0]?.message).toContain("changed no files");
    expect(result.outputs["conclusion"]).toBe(ok ? "success" : "failure");
    expect(host.journal.some(({ method, path }) => method === "POST" && path.endsWith("/pulls"))).toBe(false);
  });

  test.each<[string, Readonly<Record<string, string>>, RegExp]>([
    [
      "to the default branch",
      { publish: "branch", branch: "main" },
      /main is the default branch, and until-green never pushes to it/,
    ],
    ["to a name that is none", { publish: "branch", branch: "a..b" }, /is not a valid branch name/],
    [
      "to a pull request that is not there",
      { publish: "push" },
      /this job \(on workflow_dispatch\) has none/,
    ],
    ["without a token", { publish: "branch", "github-token": "" }, /needs a token, but there is none/],
  ])("does not go %s, which is reported before any agent works", async (_, inputs, sentence) => {
    const host = await hostOf();
    const result = await useOnHost({ host, inputs: { ...loop, ...inputs } });
    expect(result.outputs).toMatchObject({ conclusion: "failure", iterations: "0" });
    expect(annotationsOf(result, "error")[0]?.message).toMatch(sentence);
  });

  test("names the permission that is missing, before any agent works", async () => {
    const host = await hostOf();
    host.fault(/^GET .*\/pulls$/, { status: 403, message: "Resource not accessible by integration" });
    const result = await useOnHost({ host, inputs: toPull });
    expect(result.outputs["iterations"]).toBe("0");
    expect(annotationsOf(result, "error")[0]?.message).toContain(
      "give the job `permissions: pull-requests: write`",
    );
  });

  test.each<[Readonly<Record<string, string>>, RegExp]>([
    [{ "max-files": "1" }, /changes 2 files, and `max-files` is 1/],
    [{ "max-patch-kib": "1" }, /have 9 KiB, and `max-patch-kib` is 1/],
  ])("that is larger than %j is not published, and the run is kept", async (limits, sentence) => {
    const write = { "state.txt": "green\n", "big.txt": "x".repeat(9_000) };
    const host = await hostOf({ files: { ...files, "session.yml": session({ say: "Done.", write }) } });
    const result = await useOnHost({ host, inputs: { ...loop, ...limits, publish: "branch" } });
    expect(result.outputs).toMatchObject({
      conclusion: "failure",
      iterations: "1",
      "final-message": "Done.",
    });
    expect(annotationsOf(result, "error")[0]?.message).toMatch(sentence);
    expect(host.git.git("branch", "--list", "until-green/*")).toBe("");
  });

  test("that the host does not take makes the job red, with all outputs and the reason", async () => {
    const host = await hostOf();
    host.git.preReceive("echo 'push declined by a rule' >&2; exit 1");
    const result = await useOnHost({ host, inputs: { ...loop, publish: "branch" } });
    expect(result.outputs).toMatchObject({
      conclusion: "failure",
      iterations: "2",
      "final-message": "Done now.",
    });
    expect(annotationsOf(result, "error")[0]?.message).toMatch(
      /rejected the push to until-green\/inline: .*pre-receive hook declined/,
    );
  });

  test("is published by another job, which runs nothing, from what the first one kept at the host", async () => {
    const host = await hostOf();
    const ran = await useOnHost({ host, inputs: { ...loop, squash: "true" } });
    const run = ran.outputs["run-id"] ?? "";
    await commitOn(host, "main", { "state.txt": "red\n", "later.txt": "l\n" });
    const texts = { title: "Fix {workflow} {issue}", body: "Ours: {output}" };
    const inputs = { command: "publish", "run-id": run, publish: "pull-request", ...texts };
    const result = await useOnHost({ host, inputs });
    expect(result.ok, result.log.join("\n")).toBe(true);
    expect(result.outputs).toMatchObject({
      "run-id": run,
      "pull-request-number": "1",
      branch: "until-green/inline",
    });
    expect(files1(host, "main...until-green/inline", "--")).toEqual(["src/new.txt", "state.txt"]);
    expect(await host.as("octocat", "GET /pulls/1")).toMatchObject({
      title: "Fix inline",
      body: expect.stringMatching(/^Ours: Done now\.\n/),
    });
    const unknown = await useOnHost({ host, inputs: { ...inputs, "run-id": "no-such-run" } });
    expect(annotationsOf(unknown, "error")[0]?.message).toContain(
      "there is no run no-such-run in this repository",
    );
  });

  test("is published by another job with the texts of the run's own file, unless the job has texts", async () => {
    const own = `name: own
title: "Own {workflow}"
body: "Body of {run}"
commit_message: "Own message"
nodes:
  - id: loop
    loop: { prompt: Go, until: READY, max_iterations: 1 }
`;
    const replies = session({ say: "<promise>READY</promise>", write: { "one.txt": "1\n" } });
    const host = await hostOf({ files: { ".github/loops/own.yml": own, "session.yml": replies } });
    const ran = await useOnHost({ host, inputs: { agent: "scripted:session.yml", workflow: "own" } });
    const run = ran.outputs["run-id"] ?? "";
    const inputs = { command: "publish", "run-id": run, publish: "pull-request", title: "The job's" };
    const result = await useOnHost({ host, inputs });
    expect(result.ok, result.log.join("\n")).toBe(true);
    expect(await host.as("octocat", "GET /pulls/1")).toMatchObject({
      title: "The job's",
      body: expect.stringMatching(new RegExp(`^Body of ${run}\n`)),
    });
    expect(host.git.git("log", "-1", "--format=%s", "until-green/own")).toBe("Own message");
  });

  test("of a run that continues in another job is its own, even if the base has moved", async () => {
    const gate = `name: ask
interactive: true
nodes:
  - id: loop
    loop: { prompt: Go, until: READY, max_iterations: 3, interactive: true, gate_message: "Blue?" }
`;
    const replies = session(
      { node: "loop", iteration: 1, say: "Which?", write: { "one.txt": "1\n" } },
      { node: "loop", iteration: 2, say: "<promise>READY</promise>", write: { "two.txt": "2\n" } },
    );
    const host = await hostOf({ files: { ".github/loops/ask.yml": gate, "session.yml": replies } });
    const inputs = { agent: "scripted:session.yml", publish: "pull-request", "check-run": "true" };
    const first = await useOnHost({ host, inputs: { ...inputs, workflow: "ask" } });
    const run = first.outputs["run-id"] ?? "";
    expect(first.outputs, first.log.join("\n")).toMatchObject({
      conclusion: "paused",
      "pull-request-number": "1",
    });
    const [buttons] = host.journal.filter(({ body }) => body.conclusion === "action_required");
    expect(buttons?.body.actions).toEqual([]);
    expect(files1(host, "main", "until-green/ask")).toEqual(["one.txt"]);
    await recordIn(host, run, (gate) => ({
      type: "run.decided",
      at: new Date().toISOString(),
      gate,
      decision: "approve",
      by: "ann",
      text: "Blue.",
    }));
    await commitOn(host, "main", { "later.txt": "l\n" });
    const second = await useOnHost({ host, inputs: { ...inputs, command: "resume", "run-id": run } });
    expect(second.ok, second.log.join("\n")).toBe(true);
    expect(second.outputs).toMatchObject({ conclusion: "success", "pull-request-number": "1" });
    expect(files1(host, "main...until-green/ask", "--")).toEqual(["one.txt", "two.txt"]);
    expect((await host.as("octocat", "GET /pulls/1")).draft).toBe(false);
  });
});
