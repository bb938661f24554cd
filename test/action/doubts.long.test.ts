import { join } from "node:path";
import { expect, test } from "vitest";
import { resumeRun } from "../../action/commands/resume.ts";
import { readInputs } from "../../action/inputs/inputs.ts";
import type { GitHubApi } from "../../action/job/github-api.ts";
import { openJob } from "../../action/job/job.ts";
import { openRunnerLog } from "../../action/job/workflow-commands.ts";
import type { RecordedDecision } from "../../src/api/github.ts";
import type { GitHubHost } from "../parts/github-host/host.ts";
import { loopFile } from "../parts/terminal.ts";
import { cloneOf, jobOf, openRepository, recordIn, stateOf } from "./github-job.ts";

const gated = loopFile(
  "prompt: '[$LOOP_USER_INPUT]'\nuntil: DONE\nmax_iterations: 9\ninteractive: true\ngate_message: look",
  "interactive: true\n",
);
const agent =
  'command:read -r prompt; if [ "$prompt" = "[on]" ]; then echo "<promise>DONE</promise>"; else echo said; fi';
const run = "doubted-run-1";

/** Goes on with the run in this process, as a job whose host is asked what the test says. */
async function resumeWith(github: GitHubHost, host: GitHubApi) {
  const { path } = await cloneOf(github);
  const env = {
    PATH: process.env["PATH"],
    HOME: join(path, ".."),
    RUNNER_TEMP: join(path, ".."),
    GITHUB_WORKSPACE: path,
    GITHUB_REPOSITORY: github.repository,
    GITHUB_SERVER_URL: github.origin,
    GITHUB_API_URL: github.url,
    GITHUB_TOKEN: github.token,
    GITHUB_RUN_ID: "77",
  };
  const read = readInputs(JSON.stringify({ command: "resume", "run-id": run, "working-directory": "." }));
  if (!read.ok) throw new Error(read.faults.join());
  const log = openRunnerLog();
  return await resumeRun(run, read.inputs, { ...openJob(env, []), log, host });
}

test("recorded decisions are verified again, and a run with a decision that fails is not resumed", async () => {
  const github = await openRepository({ files: { "w.yml": gated } });
  await jobOf(github, { id: 11, inputs: { workflow: "w.yml", agent, "run-id": run } });
  const comment = { id: 5, sha256: "0".repeat(64) };
  await recordIn(github, run, (gate) => ({
    type: "run.decided",
    at: new Date().toISOString(),
    gate,
    decision: "approve",
    by: "ann",
    text: "on",
    comment,
  }));
  const before = stateOf(github, run).seq;
  const asked: RecordedDecision[] = [];
  const refused = resumeWith(github, { doubts: async () => "the comment was edited since" });
  await expect(refused).rejects.toThrow(
    /the recorded decision of ann cannot be verified \(the comment was edited since\)/,
  );
  expect(stateOf(github, run).seq).toBe(before);
  const ending = await resumeWith(github, {
    async doubts(record) {
      asked.push(record);
      return undefined;
    },
  });
  expect(ending).toMatchObject({ conclusion: "success", stopReason: "signal" });
  expect(asked).toMatchObject([
    { type: "run.decided", by: "ann", text: "on", comment, since: expect.any(String) },
  ]);
});

test("one comment decides one gate: a record in which it decides a second is refused", async () => {
  const github = await openRepository({ files: { "w.yml": gated } });
  await jobOf(github, { id: 11, inputs: { workflow: "w.yml", agent, "run-id": run } });
  const comment = { id: 5, sha256: "0".repeat(64) };
  const approve = (gate: string) =>
    ({
      type: "run.decided",
      at: new Date().toISOString(),
      gate,
      decision: "approve",
      by: "ann",
      comment,
    }) as const;
  await recordIn(github, run, (gate) => ({ ...approve(gate), text: "look again" }));
  const trusting: GitHubApi = { doubts: async () => undefined };
  expect(await resumeWith(github, trusting)).toMatchObject({ conclusion: "paused", stopReason: "gate" });
  await recordIn(github, run, (gate) => ({ ...approve(gate), text: "on" }));
  await expect(resumeWith(github, trusting)).rejects.toThrow(
    /comment 5 is already recorded as another decision/,
  );
});
