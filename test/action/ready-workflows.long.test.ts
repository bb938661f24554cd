import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { loopFile } from "../../src/cli/init/starter.ts";
import { shortRunId } from "../../src/ports/short-run-id.ts";
import { hasAct } from "../parts/act.ts";
import type { GitHubHost } from "../parts/github-host/host.ts";
import { byAct, byInterpreter } from "../parts/ready-workflow.ts";
import { sampled } from "../parts/sample.ts";
import { session } from "./checkout.ts";
import { commentOn, openRepository, recordIn } from "./github-job.ts";
import { commitOn, pullOn } from "./source.ts";

// Whole workflows, with several jobs that clone, install and push.
vi.setConfig({ testTimeout: 240_000 });

const loop = (name: string) => readFileSync(`examples/loops/${name}.yml`, "utf8");
const npm = { tool: "npm", check: "npm test", install: "npm ci", setup: [] };
const project = {
  "package.json": '{ "name": "p", "version": "1.0.0", "scripts": { "test": "grep -qx green state.txt" } }',
  "package-lock.json":
    '{ "name": "p", "version": "1.0.0", "lockfileVersion": 3, "packages": { "": { "name": "p", "version": "1.0.0" } } }',
  "state.txt": "red\n",
  ".github/loops/fix-tests.yml": loopFile({ name: "fix-tests", dir: "", project: npm }),
  ".github/loops/guided-refine.yml": loop("guided-refine"),
};
const fixes = session(
  { node: "fix", iteration: 1, say: "Tried.", write: { "state.txt": "nearly\n" } },
  { node: "fix", iteration: 2, say: "Done.", write: { "state.txt": "green\n" } },
);
const refines = session(
  { node: "refine", iteration: 1, say: "A long text." },
  { node: "refine", contains: "shorter please", say: "Text.\n<promise>ACCEPTED</promise>" },
);

const open = (replies: string, more: Readonly<Record<string, string>> = {}) =>
  openRepository({
    users: { ada: "write", eve: "read" },
    files: { ...project, ".github/session.yml": replies, ...more },
  });
const show = (host: GitHubHost, what: string) => host.git.git("show", what);
const opened = (host: GitHubHost) =>
  host.journal.filter(({ method, path }) => method === "POST" && path.endsWith("/pulls"));
const changed = (host: GitHubHost, from: string, to: string) =>
  host.git.git("diff", "--name-only", from, to).split("\n");

test("every workflow to copy is played here", () => {
  const names = globSync("examples/workflows/*.yml").map((file) => basename(file, ".yml"));
  const played = readFileSync("test/action/ready-workflows.long.test.ts", "utf8");
  expect(names.filter((name) => !played.includes(`"${name}"`))).toEqual([]);
});

const runners = [
  ["our interpreter", byInterpreter, true],
  ["act", byAct, hasAct()],
] as const;

const here = runners.filter(([, , isHere]) => isHere).map(([name]) => name);

describe.each(runners)("the ready workflows, run by %s", (name, perform, isHere) => {
  // A sample plays each workflow by one of them.
  const run = (title: string, body: () => Promise<void>) =>
    test.runIf(isHere && sampled(here, () => title).includes(name))(title, body);

  for (const name of ["bedrock", "vertex", "foundry"])
    run(`${name} opens one pull request with the work, and none of what the cloud's login left`, async () => {
      const host = await open(fixes, { ".gitignore": "gha-creds-*.json\n" });
      const { ok, log } = await perform(host, { name, event: "workflow_dispatch", id: 11 });
      expect(ok, log).toBe(true);
      expect(changed(host, "main", "until-green/fix-tests"), log).toEqual(["state.txt"]);
      expect(opened(host)).toHaveLength(1);
    });

  run("issue works on a labelled issue, and its pull request closes the issue", async () => {
    const say = "Done.\n<promise>SOLVED</promise>";
    const mended = session({ contains: "It is red", say, write: { "state.txt": "green\n" } });
    const host = await open(mended, { ".github/loops/solve.yml": loop("solve") });
    const { number } = await host.as("eve", "POST /issues", { title: "It is red", body: "Make it green." });
    const label = async (login: string, id: number) => {
      const payload = {
        action: "labeled",
        issue: { number, user: { login: "eve" } },
        label: { name: "until-green" },
        sender: { login },
      };
      return await perform(host, { name: "issue", event: "issues", payload, id });
    };
    const refused = await label("eve", 11);
    expect(refused.ok, refused.log).toBe(true);
    expect(host.git.git("for-each-ref", "refs/until-green")).toBe("");
    const { ok, log } = await label("ada", 12);
    expect(ok, log).toBe(true);
    expect(show(host, `until-green/solve-issue-${number}:state.txt`), log).toBe("green");
    expect(opened(host)[0]?.body).toMatchObject({
      body: expect.stringMatching(`^Done\\.\n\nFixes #${number}\n`),
    });
    const [comment] = await host.as("ada", `GET /issues/${number}/comments`);
    expect(comment.body, log).toContain("solve succeeded");
  });

  run(
    "until-merged works once for a red check and an open thread, and waits without a run in between",
    async () => {
      const again = [
        { contains: "ci says", say: "Done.", write: { "b.txt": "b\n" } },
        { contains: "Please say c", say: "Done.", write: { "c.txt": "c\n" } },
        { say: "Done.", write: { "state.txt": "green\n" } },
      ];
      const host = await open(session(...again));
      const goal = "until-green/fix-tests";
      const head = () => host.git.git("rev-parse", goal);
      const dispatch = async (id: number) => {
        const payload = { action: "completed", check_suite: { head_branch: goal } };
        const { ok, log } = await perform(host, { name: "until-merged", event: "check_suite", payload, id });
        expect(ok, log).toBe(true);
        return log;
      };
      const check = (conclusion: string) =>
        host.as("octocat", "POST /check-runs", {
          name: "ci",
          head_sha: head(),
          status: "completed",
          conclusion,
        });
      await dispatch(11);
      expect(show(host, `${goal}:state.txt`)).toBe("green");
      host.logs.set((await check("failure")).id, "ci says: b.txt is missing");
      await dispatch(12);
      expect(show(host, `${goal}:b.txt`)).toBe("b");
      await check("success");
      const comments = [{ body: "Please say c", author: { login: "ada" } }];
      host.threads.push({ id: "T1", path: "a.txt", line: 1, isResolved: false, comments });
      await dispatch(13);
      expect(show(host, `${goal}:c.txt`)).toBe("c");
      const tip = head();
      await check("success");
      expect(await dispatch(14)).toMatch(/waits for an approving review/);
      expect(head()).toBe(tip);
      expect(opened(host)).toHaveLength(1);
    },
  );

  run("interactive waits for a person, and a comment goes on with it to the end in a new clone", async () => {
    const host = await open(refines);
    const before = await commitOn(host, "topic", { "new.txt": "new\n" });
    const { payload, number } = await pullOn(host, "topic");
    const first = await perform(host, {
      name: "interactive",
      event: "pull_request",
      payload: { ...payload, action: "labeled", label: { name: "until-green" } },
      id: 11,
    });
    expect(first.ok, first.log).toBe(true);
    const [sticky] = await host.as("octocat", `GET /issues/${number}/comments`);
    const runId = /until-green:run=([\w-]+)/.exec(sticky?.body ?? "")?.[1] ?? "";
    const id = shortRunId(runId);
    expect(sticky?.body, first.log).toContain(`/workflow approve ${id}\n`);
    expect(host.git.git("rev-parse", "topic")).toBe(before);

    const refused = await perform(
      host,
      await commentBy(host, "eve", { id: 12, body: `/workflow approve ${id}\nno` }),
    );
    expect(refused.ok, refused.log).toBe(true);
    expect(host.git.git("rev-parse", "topic")).toBe(before);

    const body = `/workflow approve ${id}\nshorter please`;
    const second = await perform(host, await commentBy(host, "ada", { id: 13, body }));
    expect(second.ok, second.log).toBe(true);
    expect(show(host, "topic:text.md"), second.log).toBe("Text.");
    expect(host.git.git("log", "-1", "--format=%P", "topic")).toBe(before);
    const comments: { body: string }[] = await host.as("octocat", `GET /issues/${number}/comments`);
    const ofRun = comments.filter(({ body }) => body.includes(`until-green:run=${runId}`));
    expect(ofRun.map(({ body }) => body.split("\n")[1])).toEqual([
      expect.stringContaining("✅ guided-refine succeeded"),
    ]);
    const checks = [...host.checks.values()];
    expect(checks).toContainEqual(expect.objectContaining({ status: "completed", conclusion: "success" }));
  });

  run("hardened writes nothing until the last job, which publishes what the file holds", async () => {
    const host = await open(fixes);
    let runsThere = "";
    host.git.fault = ({ kind }) => {
      if (kind === "push") runsThere += host.git.git("for-each-ref", "refs/heads", "refs/until-green");
      return undefined;
    };
    const { ok, log } = await perform(host, { name: "hardened", event: "schedule", id: 11 });
    expect(ok, log).toBe(true);
    expect(show(host, "until-green/fix-tests:state.txt"), log).toBe("green");
    expect(changed(host, "main", "until-green/fix-tests")).toEqual(["state.txt"]);
    // One push of one branch, into a repository that had nothing but its own; and no run was ever kept there.
    expect(host.git.seen.filter(({ kind }) => kind === "push")).toHaveLength(1);
    expect(runsThere).toMatch(/^\w+ commit\trefs\/heads\/main$/);
    expect(host.git.git("for-each-ref", "refs/until-green")).toBe("");
    expect(opened(host)).toHaveLength(1);
  });

  run(
    "migrate works on each item in a job of its own, and one job joins what succeeded and names what is missing",
    async () => {
      const replies = session(
        ...["a", "b"].map((item) => ({
          contains: `Migrate ${item}.`,
          say: "<promise>DONE</promise>",
          write: { [`${item}.txt`]: `new ${item}\n` },
        })),
        { contains: "Migrate c.", times: 0, say: "Not yet.", write: { "c.txt": "half\n" } },
      );
      const migrate = `name: migrate
inputs: { items: {} }
nodes:
  - id: each
    loop:
      for_each: $INPUTS.items
      spread: jobs
      max_parallel: 4
      nodes: [{ id: work, loop: { prompt: "Migrate $LOOP_ITEM.", until: DONE, max_iterations: 2 } }]
`;
      const host = await open(replies, { ".github/loops/migrate.yml": migrate });
      const inputs = { list: "", items: '["a", "b", "c"]' };
      const trigger = { job: true as const, name: "migrate", event: "workflow_dispatch", inputs };
      const { log, jobs, ok } = await perform(host, { ...trigger, id: 11 });
      if (perform === byInterpreter) expect(jobs["join"], log).toBe("failure");
      expect(ok).toBe(false);
      const branch = "until-green/migrate";
      expect(changed(host, "main", branch), log).toEqual(["a.txt", "b.txt"]);
      expect(show(host, `${branch}:b.txt`)).toBe("new b");
      expect(host.git.git("rev-list", "--count", `main..${branch}`)).toBe("2");
      const [pull, ...others] = opened(host);
      expect(others).toEqual([]);
      expect(pull?.body).toMatchObject({
        draft: true,
        body: expect.stringMatching(/Not in it.*\n> - item 3 \(run migrate-11-1-item-3\) failed \(/),
      });
      const refs = host.git.git("for-each-ref", "--format=%(refname)", "refs/until-green").split("\n");
      expect(refs.filter((ref) => ref.endsWith("/state"))).toEqual(
        [1, 2, 3].map((n) => `refs/until-green/migrate-11-1/items/${n}/state`),
      );

      // The next time all of them succeed, and the same pull request is no draft any more.
      const second = await perform(host, { ...trigger, inputs: { list: "", items: '["a", "b"]' }, id: 12 });
      expect(second.ok, second.log).toBe(true);
      expect(opened(host)).toHaveLength(1);
      expect((await host.as("octocat", "GET /pulls/1")).draft).toBe(false);
    },
  );

  run("sweep starts what was decided and nobody went on with, and until-green goes on with it", async () => {
    const host = await open(refines);
    const begin = { workflow: "guided-refine", "run-id": "asked-by-hand" };
    const first = await perform(host, {
      name: "until-green",
      event: "workflow_dispatch",
      inputs: begin,
      id: 11,
    });
    expect(first.ok, first.log).toBe(true);
    await recordIn(host, "asked-by-hand", (gate) => ({
      type: "run.decided",
      at: new Date(Date.now() - 600_000).toISOString(),
      gate,
      decision: "approve",
      by: "octocat",
      text: "shorter please",
    }));
    const swept = await perform(host, { name: "sweep", event: "schedule", id: 12 });
    expect(swept.ok, swept.log).toBe(true);
    expect(host.dispatches, swept.log).toMatchObject([
      { workflow: "until-green.yml", ref: "main", inputs: { "run-id": "asked-by-hand" } },
    ]);
    const inputs = host.dispatches[0]?.inputs as Readonly<Record<string, string>>;
    const second = await perform(host, { name: "until-green", event: "workflow_dispatch", inputs, id: 13 });
    expect(second.ok, second.log).toBe(true);
    expect(show(host, "until-green/guided-refine:text.md"), second.log).toBe("Text.");
  });
});

/** A comment on the first pull request, and what GitHub then starts. */
const commentBy = async (
  host: GitHubHost,
  login: string,
  { body, id }: { readonly body: string; readonly id: number },
) => ({ name: "interactive", event: "issue_comment", payload: await commentOn(host, login, body), id });
