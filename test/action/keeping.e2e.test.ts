import { cpSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loopFile } from "../parts/terminal.ts";
import { cloneOf, jobOf, openRepository, recordIn, stateOf } from "./github-job.ts";

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

test("where the token may not write, the run is kept on the runner, and it is said loudly what to allow", async () => {
  const host = await openRepository({ files });
  host.git.fault = ({ kind }) => (kind === "push" ? "forbid" : undefined);
  const result = await jobOf(host, { id: 11, inputs: begin });
  expect(result.ok, result.log.join("\n")).toBe(true);
  expect(result.outputs).toMatchObject({ conclusion: "paused", "state-ref": "" });
  const loud = result.annotations.filter((each) => /will not outlive this job/.test(titleOf(each)));
  expect(loud).toMatchObject([
    { level: "warning", message: expect.stringContaining("permissions: contents: write") },
  ]);
  expect(result.summary).toContain("is gone when the job ends");
  expect(host.git.git("for-each-ref", "refs/until-green")).toBe("");
});

test("where the host takes no refs of ours, the run is kept in branches, and goes on from there", async () => {
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
    "until-green: the run will not outlive this job",
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

test("with a state key only what was signed with it goes on", async () => {
  const host = await openRepository({ files });
  const key = { "state-key": "a key that nobody guesses" };
  await jobOf(host, { id: 11, inputs: { ...begin, ...key } });
  expect(stateOf(host, run).seal).toMatch(/^[0-9a-f]{64}$/);
  const fine = await jobOf(host, { id: 12, inputs: { ...goOn, ...key } });
  expect(fine.outputs, fine.log.join("\n")).toMatchObject({ conclusion: "paused" });
  // Somebody who may push, but has no key, decides.
  await recordIn(host, run, (gate) => ({
    type: "run.decided",
    at: new Date().toISOString(),
    gate,
    decision: "approve",
    by: "eve",
    text: "on",
  }));
  const refused = await jobOf(host, { id: 13, inputs: { ...goOn, ...key } });
  expect(refused.ok).toBe(false);
  expect(refused.annotations[0]?.message).toMatch(/it is not signed with the state key/);
  const unguarded = await jobOf(host, { id: 14, inputs: goOn });
  expect(unguarded.outputs).toMatchObject({ conclusion: "success" });
});

test("a job that may not write keeps its run in a file, which another job is handed", async () => {
  const host = await openRepository({ files });
  host.git.fault = ({ kind }) => (kind === "push" ? "forbid" : undefined);
  const [one, two] = [await cloneOf(host), await cloneOf(host)];
  const inputs = { ...begin, store: "bundle:../handed/run.bundle" };
  const first = await jobOf(host, { id: 11, inputs, clone: one });
  expect(first.outputs, first.log.join("\n")).toMatchObject({ conclusion: "paused" });
  expect(first.annotations.map(titleOf)).toEqual(["until-green: paused"]);
  expect(first.summary).toContain("kept in the file");
  cpSync(join(one.path, "../handed"), join(two.path, "../handed"), { recursive: true });
  const second = await jobOf(host, { id: 12, inputs: { ...goOn, store: inputs.store }, clone: two });
  expect(second.outputs, second.log.join("\n")).toMatchObject({ conclusion: "paused", "run-id": run });
  const wrong = await jobOf(host, { id: 13, inputs: { ...begin, store: "memory" } });
  expect(wrong.annotations[0]?.message).toMatch(/`store: memory` is no place for runs/);
});
