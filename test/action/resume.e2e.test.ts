import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { loopFile } from "../parts/terminal.ts";
import { cloneOf, jobOf, openRepository, stateOf } from "./github-job.ts";

const gated = loopFile(
  `prompt: "[$LOOP_USER_INPUT] after [$LOOP_PREV_OUTPUT] with $ARTIFACTS_DIR"
until: DONE
max_iterations: 9
interactive: true
gate_message: look`,
  "interactive: true\nbudget: { tokens: 100 }\n",
);

const usage = "usage: { input_tokens: 5, output_tokens: 5, cost_usd: 0.5 }";
const replies = `replies:
  - { say: first, write: { one.txt: "1" }, run: "rm README.md", ${usage} }
  - { contains: "make it blue", say: "second <promise>DONE</promise>", run: "test -f one.txt && test ! -f README.md", ${usage} }
`;

test("a run that pauses in one job is approved in a terminal and goes on in another job, with all it had", async () => {
  const host = await openRepository({
    files: { "README.md": "x\n", "w.yml": gated, "replies.yml": replies },
  });
  const run = "action-run-1";
  const inputs = { workflow: "w.yml", agent: "scripted:replies.yml", "run-id": run };
  const first = await jobOf(host, { id: 11, inputs });
  expect(first.ok, first.log.join("\n")).toBe(true);
  expect(first.outputs).toMatchObject({
    conclusion: "paused",
    "stop-reason": "gate",
    "state-ref": `refs/until-green/${run}/state`,
  });
  expect(first.summary).toContain(`kept in \`refs/until-green/${run}/state\``);
  expect(stateOf(host, run)).toMatchObject({
    standing: {
      summary: { state: "paused" },
      gates: [{ path: "/fix#1!gate" }],
      job: { run: 11, attempt: 1 },
      origin: { repository: "octocat/hello", branch: "main", workflow: ".github/workflows/loop.yml" },
    },
  });

  const person = await cloneOf(host);
  const held = ["--store", "git", "--json"];
  // Only says so: the run goes on where its keys are.
  const said = await person.run("tell", run, "fix", "a word", ...held);
  expect(said.stderr + said.code).toMatch(/0$/);

  const early = await jobOf(host, { id: 12, inputs: { command: "resume", "run-id": run } });
  expect(early.outputs["conclusion"]).toBe("paused");
  expect(early.log.join("\n")).not.toContain("::error");

  const approver = await cloneOf(host);
  const approved = await approver.run("approve", run, "make it blue", ...held);
  expect(approved.stderr + approved.code).toMatch(/0$/);
  expect(approved.events.at(-1)).toMatchObject({ type: "run.ended", conclusion: "success", iterations: 2 });
  expect(existsSync(join(approver.path, "one.txt"))).toBe(true);
  expect(dirname(approver.path)).not.toBe(dirname(first.path));
});
