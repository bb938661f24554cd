import { expect, test, vi } from "vitest";
import { outputNames } from "../../action/result/outputs.ts";
import { apiOf } from "../../src/github/api.ts";
import { openGitHub } from "../../src/github/client.ts";
import { restRefs } from "../../src/stores/rest-ref.ts";
import type { GitHubHost } from "../parts/github-host/host.ts";
import { loopFile } from "../parts/terminal.ts";
import { session } from "./checkout.ts";
import { jobOf, openRepository, stateOf } from "./github-job.ts";

// Each is a job with git and a server behind it, some of them two.
vi.setConfig({ testTimeout: 180_000 });

const run = "ending-run-1";
const files = {
  "state.txt": "red\n",
  "done.yml": loopFile('prompt: Go\nuntil_bash: "true"\nmax_iterations: 3\ncheck: { baseline: true }'),
  "slow.yml": loopFile("prompt: Go\nuntil_bash: test -f never\nmax_iterations: 3"),
  "ask.yml": loopFile(
    "prompt: Go\nuntil: READY\nmax_iterations: 3\ninteractive: true\ngate_message: Blue?",
    "interactive: true\n",
  ),
  "broken.yml": "name: broken\nnodes:\n  - id: a\n    promt: Hi\n",
  "session.yml": session({ say: "Which?", times: 0, write: { "new.txt": "n\n" } }),
};
const scripted = { agent: "scripted:session.yml", "run-id": run };

interface Case {
  readonly inputs: Readonly<Record<string, string>>;
  /** What happened before the job. */
  before?(host: GitHubHost): Promise<unknown>;
  readonly ok: boolean;
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: RegExp;
  readonly annotations: readonly [level: string, message: RegExp];
  /** What the host has of the run in the end. */
  readonly state?: string;
}

const cases: Readonly<Record<string, Case>> = {
  "there is nothing to do": {
    inputs: { workflow: "done.yml", ...scripted },
    ok: true,
    outputs: { conclusion: "skipped", "stop-reason": "nothing-to-do", "run-id": run, iterations: "0" },
    summary: /\*\*Skipped: no agent was called\.\*\*/,
    annotations: ["notice", /the check was already green/],
    state: "ended",
  },
  "a person is waited for": {
    inputs: { workflow: "ask.yml", ...scripted },
    ok: true,
    outputs: { conclusion: "paused", "stop-reason": "gate", "state-ref": `refs/until-green/${run}/state` },
    summary:
      /\*\*Paused: waiting for a person\.\*\*[\s\S]*command: resume[\s\S]*\/compare\/\w+\.\.\.\w+[\s\S]*/,
    annotations: ["warning", /Waiting for you/],
    state: "paused",
  },
  "somebody cancels the job, and asks twice": {
    inputs: {
      workflow: "slow.yml",
      agent: "command:kill -INT $PPID; sleep 0.2; kill -TERM $PPID; exec sleep 600",
      "run-id": run,
      isolation: "off",
    },
    ok: true,
    outputs: { conclusion: "paused", "stop-reason": "time-limit", "run-id": run },
    summary: /\*\*Paused: the time ran out before the work was done\.\*\*[\s\S]*command: resume/,
    annotations: ["warning", /resume it to continue/],
    state: "paused",
  },
  "a person has cancelled the run": {
    inputs: { command: "resume", "run-id": run },
    async before(host) {
      await jobOf(host, { id: 11, inputs: { workflow: "ask.yml", ...scripted } });
      await cancelAsApp(host);
    },
    ok: false,
    outputs: { conclusion: "cancelled", "stop-reason": "cancelled", "run-id": run },
    summary: /🛑 \S+ was cancelled[\s\S]*cancelled by ann/,
    annotations: ["error", /cancelled by ann/],
    state: "ended",
  },
  "another job has the run": {
    inputs: { command: "resume", "run-id": run },
    async before(host) {
      const agent = "command:kill -KILL $PPID";
      await jobOf(host, { id: 11, inputs: { workflow: "slow.yml", agent, "run-id": run, isolation: "off" } });
      host.runs.set(11, { id: 11, status: "in_progress" });
    },
    ok: false,
    outputs: { conclusion: "failure", "stop-reason": "internal" },
    summary:
      /left run `ending-run-1` to another job[\s\S]*workflow run 11 works on run ending-run-1 and is still running/,
    annotations: ["error", /still running/],
    state: "running",
  },
  "the workflow file is not valid": {
    inputs: { workflow: "broken.yml", ...scripted },
    ok: false,
    outputs: { conclusion: "failure", "stop-reason": "internal", "run-id": "" },
    summary: /The workflow file is not valid; nothing ran[\s\S]*broken\.yml:4:5[\s\S]*UNKNOWN\\?_FIELD/,
    annotations: ["error", /promt/],
  },
  "a permission is missing": {
    inputs: { workflow: "slow.yml", ...scripted, publish: "pull-request" },
    async before(host) {
      host.fault(/^GET .*\/pulls$/, { status: 403, message: "Resource not accessible by integration" });
    },
    ok: false,
    outputs: { conclusion: "failure", "stop-reason": "internal", iterations: "0" },
    summary: /did not start[\s\S]*permissions: pull-requests: write/,
    annotations: ["error", /give the job `permissions: pull-requests: write`/],
  },
};

test.each(Object.entries(cases))("where %s, all outputs are set and the summary says it", async (_, its) => {
  const host = await openRepository({ users: { ann: "write" }, files });
  await its.before?.(host);
  const result = await jobOf(host, { id: 12, inputs: its.inputs });
  expect(result.ok, result.log.join("\n")).toBe(its.ok);
  expect(Object.keys(result.outputs)).toEqual([...outputNames]);
  expect(result.outputs).toMatchObject(its.outputs);
  expect(result.summary).toMatch(its.summary);
  const [level, message] = its.annotations;
  const messages = result.annotations.filter((each) => each.level === level).map((each) => each.message);
  expect(messages).toContainEqual(expect.stringMatching(message));
  if (its.state !== undefined) expect(stateOf(host, run).status.summary.state).toBe(its.state);
});

/** What somebody's `/workflow cancel` puts on record; the job that is started for it does the rest. */
async function cancelAsApp(host: GitHubHost): Promise<void> {
  const client = openGitHub({
    token: host.token,
    repository: host.repository,
    apiUrl: host.url,
  });
  const refs = restRefs({ api: apiOf(client), ...client.at });
  const { tip } = await refs.look(run);
  if (tip === undefined) throw new Error("the run is not there");
  const at = new Date().toISOString();
  const line = JSON.stringify({ type: "run.cancelled", at, by: "ann", because: "cancelled by ann" });
  await refs.append(tip, { lines: [line], owner: "ann", at });
}
