import { execFileSync } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { digestOf } from "../../src/stores/git/commit-log.ts";
import type { GitHubHost } from "../parts/github-host/host.ts";
import { loopFile } from "../parts/terminal.ts";
import { cloneOf, jobOf, openRepository, stateOf } from "./github-job.ts";

// Each job is a process with git and a server behind it, and there are several in a row.
vi.setConfig({ testTimeout: 180_000 });

const gated = loopFile(
  "prompt: '[$LOOP_USER_INPUT]'\nuntil: DONE\nmax_iterations: 9\ninteractive: true\ngate_message: look",
  "interactive: true\n",
);
const files = { "w.yml": gated };
const run = "kept-run-1";
const agent =
  'command:read -r prompt; if [ "$prompt" = "[on]" ]; then echo "<promise>DONE</promise>"; else echo said; fi';
const begin = { workflow: "w.yml", agent, "run-id": run };
const goOn = { command: "resume", "run-id": run };
const titleOf = ({ title }: { readonly title?: string }) => title ?? "";

test("if the token may not write, the run is kept on the runner, and a warning says what to allow", async () => {
  const host = await openRepository({ files });
  host.git.fault = ({ kind }) => (kind === "push" ? "forbid" : undefined);
  const result = await jobOf(host, { id: 11, inputs: begin });
  expect(result.ok, result.log.join("\n")).toBe(true);
  expect(result.outputs).toMatchObject({ conclusion: "paused", "state-ref": "" });
  const loud = result.annotations.filter((each) => /is lost when this job ends/.test(titleOf(each)));
  expect(loud).toMatchObject([
    { level: "warning", message: expect.stringContaining("permissions: contents: write") },
  ]);
  expect(result.summary).toContain("When the job ends, run");
  expect(host.git.git("for-each-ref", "refs/until-green")).toBe("");
});

test("if the host refuses our refs, the run is kept in branches, and resumes from there", async () => {
  const host = await openRepository({ files });
  host.git.preReceive(
    'while read -r _ _ ref; do [[ $ref == refs/heads/* ]] || { echo "no such refs here" >&2; exit 1; }; done',
  );
  const first = await jobOf(host, { id: 11, inputs: begin });
  expect(first.outputs).toMatchObject({
    conclusion: "paused",
    "state-ref": `refs/heads/until-green/${run}/state`,
  });
  expect(first.annotations.map(({ message }) => message).join()).toMatch(/the run is kept in branches/);
  const second = await jobOf(host, { id: 12, inputs: goOn });
  expect(second.outputs).toMatchObject({ conclusion: "paused", "run-id": run });
});

test("where the host takes nothing at all, the run is kept on the runner and goes to its end", async () => {
  const host = await openRepository({ files });
  host.git.preReceive("echo 'not today' >&2; exit 1");
  const result = await jobOf(host, { id: 11, inputs: begin });
  expect(result.outputs, result.log.join("\n")).toMatchObject({ conclusion: "paused", iterations: "1" });
  expect(result.annotations.filter(({ level }) => level === "warning").map(titleOf)).toContain(
    "until-green: the run is lost when this job ends",
  );
});

test("a token that is given by name wins over the one the checkout kept", async () => {
  const host = await openRepository({ files });
  const wrong = { token: "ghs_wrong" };
  const refused = await jobOf(host, { id: 11, inputs: begin, github: wrong });
  expect(refused.outputs["state-ref"]).toBe("");
  const given = { ...begin, "github-token": host.token };
  const taken = await jobOf(host, { id: 12, inputs: given, github: wrong });
  expect(taken.outputs["state-ref"]).toBe(`refs/until-green/${run}/state`);
  expect(taken.log.join("\n")).not.toContain(host.token);
});

const inPublic = { event: { repository: { default_branch: "main", private: false } } };
const isReadable = /everyone/;

test("in a public repository a run says at its start what everybody can read", async () => {
  const host = await openRepository({ files });
  const result = await jobOf(host, { id: 11, inputs: begin, github: inPublic });
  const messages = result.annotations.filter((each) => isReadable.test(titleOf(each)));
  expect(messages).toMatchObject([{ level: "notice", message: expect.stringContaining("Give `state-key`") }]);
});

test("with a state key only its holders can read the run, and only signed records are resumed", async () => {
  const host = await openRepository({ files });
  const key = { "state-key": "a key that nobody guesses" };
  const sha = host.git.git("rev-parse", "main");
  const first = await jobOf(host, { id: 11, inputs: { ...begin, ...key }, github: { ...inPublic, sha } });
  expect(first.annotations.filter((each) => isReadable.test(titleOf(each)))).toEqual([]);
  expect(stateOf(host, run).seal).toMatch(/^[0-9a-f]{64}$/);
  const older = host.git.git("rev-parse", ref);
  const fine = await jobOf(host, { id: 12, inputs: { ...goOn, ...key } });
  expect(fine.outputs, fine.log.join("\n")).toMatchObject({ conclusion: "paused" });
  const blind = await jobOf(host, { id: 13, inputs: goOn });
  expect(blind.annotations[0]?.message).toMatch(/is encrypted with the state key \w+, and here is none/);
  const newest = host.git.git("rev-parse", ref);
  host.git.git("update-ref", ref, older);
  const back = await jobOf(host, { id: 15, inputs: { ...goOn, ...key } });
  expect(back.annotations[0]?.message).toContain(
    `its record is older than ${newest}, which its comment or its check shows`,
  );
  const publish = { command: "publish", "run-id": run, publish: "branch" };
  const unpublished = await jobOf(host, { id: 16, inputs: { ...publish, ...key } });
  expect(unpublished.annotations[0]?.message).toContain(`its record is older than ${newest}`);
  host.git.git("update-ref", ref, newest);
  const believed = await jobOf(host, { id: 17, inputs: { ...publish, ...key } });
  expect(believed.annotations.map(({ message }) => message).join()).not.toContain("is older than");
  forgeDecision(host);
  const refused = await jobOf(host, { id: 14, inputs: { ...goOn, ...key } });
  expect(refused.ok).toBe(false);
  expect(refused.annotations[0]?.message).toMatch(/it is not signed with the state key/);
});

const ref = `refs/until-green/${run}/state`;

/** Somebody who may push, but has no key, approves. */
function forgeDecision(host: GitHubHost): void {
  const line = {
    type: "run.decided",
    at: new Date().toISOString(),
    gate: "/a",
    decision: "approve",
    by: "eve",
  };
  const events = `${JSON.stringify(line)}\n`;
  const { seal, ...last } = stateOf(host, run);
  const digest = digestOf(last.digest, Buffer.from(events));
  const state = JSON.stringify({
    ...last,
    seq: last.seq + 1,
    lines: last.lines + 1,
    nonce: "e".repeat(32),
    digest,
  });
  const git = (input: string, ...args: readonly string[]) =>
    execFileSync("git", ["-C", host.git.path, "-c", "user.name=eve", "-c", "user.email=e@ve", ...args], {
      input,
      encoding: "utf8",
    }).trim();
  const [one, two] = [state, events].map((text) => git(text, "hash-object", "-w", "--stdin"));
  const tree = git(`100644 blob ${two}\tevents\n100644 blob ${one}\tstate\n`, "mktree");
  host.git.git("update-ref", ref, git("", "commit-tree", "-p", ref, "-m", "x", tree));
}

test("a job without write permission keeps its run in a file for another job", async () => {
  const host = await openRepository({ files });
  host.git.fault = ({ kind }) => (kind === "push" ? "forbid" : undefined);
  const [one, two] = [await cloneOf(host), await cloneOf(host)];
  const inputs = { ...begin, store: "bundle:../handed/run.bundle" };
  const first = await jobOf(host, { id: 11, inputs, clone: one });
  expect(first.outputs, first.log.join("\n")).toMatchObject({ conclusion: "paused" });
  // The runner adds one without a title for the exit code of a paused run.
  expect(first.annotations.map(titleOf)).toEqual(["until-green: paused", ""]);
  expect(first.summary).toContain("stored in the file");
  cpSync(join(one.path, "../handed"), join(two.path, "../handed"), { recursive: true });
  const second = await jobOf(host, { id: 12, inputs: { ...goOn, store: inputs.store }, clone: two });
  expect(second.outputs, second.log.join("\n")).toMatchObject({ conclusion: "paused", "run-id": run });
  const wrong = await jobOf(host, { id: 13, inputs: { ...begin, store: "memory" } });
  expect(wrong.annotations[0]?.message).toMatch(/`store: memory` is not a store for runs/);
});
