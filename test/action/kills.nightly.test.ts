import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { seedRun } from "../parts/app-repository.ts";
import { builtAction } from "../parts/built-action.ts";
import type { CompositeResult } from "../parts/composite/run-composite.ts";
import type { GitHubHost } from "../parts/github-host/host.ts";
import { pointsOf, readSteps, spread } from "../parts/kill-points.ts";
import { loopFile } from "../parts/terminal.ts";
import { commentOn, eventFile, jobOf, openRepository, stateOf } from "./github-job.ts";

/** How many kills of each job; 300 are one at each kind of step. */
const most = Number(process.env["UNTIL_GREEN_ROUNDS"] ?? 2);
const hook = resolve("test/parts/kill-at-write.ts");
const run = "killed-job-1a2b3c4d";

interface Place {
  readonly host: GitHubHost;
  /** Has a line for each call of the agent. */
  readonly calls: string;
  /** Prepared by the scenario. */
  readonly github?: Readonly<Record<string, unknown>>;
}

type More = Partial<Parameters<typeof jobOf>[1]>;

interface JobScenario {
  readonly name: string;
  prepare(place: Place, action: string): Promise<Partial<Place> | undefined>;
  readonly inputs: (place: Place) => Readonly<Record<string, string>>;
  readonly hoursAhead?: number;
  /** When it runs again. */
  readonly laterHours?: number;
  /** What people see in the end. */
  outcome(place: Place): Promise<Outcome>;
}

const loop = ({ calls }: Place) => ({
  prompt: "Go",
  "until-bash": "grep -qx green state.txt",
  "agent-command": `echo x >> ${calls}; echo green > state.txt; echo done`,
  "run-id": run,
});
const shown = { publish: "pull-request", labels: "bot", comment: "sticky" };
const gated = loopFile(
  "prompt: 'work [$LOOP_USER_INPUT]'\nuntil: DONE\nmax_iterations: 9\ninteractive: true\ngate_message: look",
  "interactive: true\n",
);
const asked = ({ calls }: Place) =>
  `prompt=$(cat); echo x >> ${calls}; case "$prompt" in *maps*) echo DONE;; *) echo did;; esac`;

const scenarios: readonly JobScenario[] = [
  {
    name: "a run that publishes",
    prepare: async () => undefined,
    inputs: (place) => ({ ...loop(place), ...shown }),
    outcome: published,
  },
  {
    name: "`command: publish`",
    async prepare(place, action) {
      const first = await jobOf(place.host, { id: 1, inputs: loop(place), action });
      expect(first.outputs, first.log.join("\n")).toMatchObject({ conclusion: "success" });
      return undefined;
    },
    inputs: () => ({ ...shown, command: "publish", "run-id": run }),
    outcome: published,
  },
  {
    name: "`command: comment`",
    async prepare(place, action) {
      const inputs = { workflow: "w.yml", "run-id": run, "agent-command": asked(place) };
      const first = await jobOf(place.host, { id: 1, inputs, action });
      expect(first.outputs, first.log.join("\n")).toMatchObject({ conclusion: "paused" });
      const comment = await commentOn(place.host, "ada", `/workflow approve ${run}\nuse maps`);
      return { github: eventFile("issue_comment", comment) };
    },
    inputs: (place) => ({ command: "comment", "agent-command": asked(place) }),
    outcome: answered,
  },
  {
    name: "`command: sweep`",
    async prepare({ host }) {
      const origin = { pull: 1 };
      const endedAt = "2026-01-01T00:00:00.000Z";
      seedRun(host, { run: "gate-run-0a1b2c3d", origin });
      seedRun(host, { run: "long-ago-0a1b2c3d", origin, state: "ended", gates: [], summary: { endedAt } });
      seedRun(host, { run: "lost-run-0a1b2c3d", origin, state: "running", job: { run: 8, attempt: 1 } });
      seedRun(host, { run: "wakes-up-0a1b2c3d", origin, gates: [], summary: { wakeAt: endedAt } });
      host.runs.set(8, { id: 8, status: "completed" });
      for (const text of ["approve gate-run-0a1b2c3d", "tell gate-run-0a1b2c3d fix mind the gap", "help"])
        await commentOn(host, "ada", `/workflow ${text}`);
      return undefined;
    },
    inputs: () => ({ command: "sweep" }),
    hoursAhead: 1,
    laterHours: 8,
    outcome: swept,
  },
];

test.each(scenarios)(
  "the job of $name, killed before its steps, ends in its re-run as if it had not been",
  async (scenario) => {
    const action = builtAction();
    const straight = await open(scenario, action);
    const list = join(straight.calls, "..", "steps");
    const first = await play(straight, scenario, { action, env: { KILL_STATES: list }, hook });
    expect(first.ok, first.log.join("\n")).toBe(true);
    const should = await scenario.outcome(straight);
    // What a killed job has written is gone with its machine: only what it does elsewhere counts.
    const steps = readSteps(list).map(({ kind }, at) => ({
      kind: /^(?:request|answer|spawn)/.test(kind) ? kind : "",
      state: `${at}`,
    }));
    const points = spread(pointsOf(steps, true).filter((at) => steps[at - 1]?.kind !== "")).slice(0, most);
    const faults: string[] = [];
    for (const at of points) {
      const place = await open(scenario, action);
      const rerun = { action, github: { run_attempt: "2" } };
      const killed = await play(place, scenario, { action, env: { KILL_AT_WRITE: `${at}` }, hook });
      expect(killed.ok).toBe(false);
      const again = await play(place, { ...scenario, hoursAhead: scenario.laterHours ?? 0 }, rerun);
      const was: Outcome = await scenario.outcome(place);
      if (!again.ok || differs(was, should))
        faults.push(
          `killed at ${at}, ${steps[at - 1]?.kind}: ${JSON.stringify(was)}\n${again.log.slice(-9).join("\n")}`,
        );
      await place.host.close();
      if (most > 9)
        process.stdout.write(`${scenario.name}: ${at} ${steps[at - 1]?.kind}: ${JSON.stringify(was)}\n`);
    }
    expect(faults, JSON.stringify(should)).toEqual([]);
    expect(points.length).toBeGreaterThan(0);
  },
  3_600_000,
);

interface Outcome {
  readonly calls?: number;
  readonly [what: string]: unknown;
}

/** A call may run again once: it is not known whether it had answered. */
function differs(was: Outcome, should: Outcome): boolean {
  const more = (was.calls ?? 0) - (should.calls ?? 0);
  if (more !== 0 && more !== 1) return true;
  return JSON.stringify({ ...was, calls: 0 }) !== JSON.stringify({ ...should, calls: 0 });
}

async function open({ prepare }: JobScenario, action: string): Promise<Place> {
  const host = await openRepository({
    users: { ada: "write" },
    files: { "state.txt": "red\n", "w.yml": gated },
  });
  const folder = mkdtempSync(join(tmpdir(), "kill-jobs-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const topic = host.git.git("commit-tree", "main^{tree}", "-p", "main", "-m", "Topic");
  host.git.git("branch", "topic", topic);
  await host.as("octocat", "POST /pulls", { title: "T", head: "topic", base: "main" });
  const place = { host, calls: join(folder, "calls") };
  return { ...place, ...(await prepare(place, action)) };
}

const play = (place: Place, { inputs, hoursAhead = 0 }: JobScenario, more: More): Promise<CompositeResult> =>
  jobOf(place.host, {
    id: 11,
    inputs: inputs(place),
    hoursAhead,
    ...more,
    github: { sha: place.host.git.git("rev-parse", "main"), ...place.github, ...more.github },
  });

const callsOf = ({ calls }: Place) => (existsSync(calls) ? readFileSync(calls, "utf8").length / 2 : 0);

async function published(place: Place): Promise<Outcome> {
  const { host } = place;
  const pulls = await host.as("octocat", "GET /pulls?state=all");
  const [pull] = pulls.filter(({ number }: { number: number }) => number !== 1);
  const branch = pull?.head.ref;
  const labels = pull === undefined ? [] : await host.as("octocat", `GET /issues/${pull.number}/labels`);
  return {
    calls: callsOf(place),
    pulls: pulls.length,
    title: pull?.title,
    isDraft: pull?.draft,
    labels: labels.map(({ name }: { name: string }) => name),
    commits: branch && host.git.git("rev-list", "--count", `main..${branch}`),
    files: branch && host.git.git("diff", "--name-only", "main", branch),
    comments: await commentsOf(host),
    checks: [...host.checks.values()].map(({ status, conclusion }) => `${status} ${conclusion}`),
    state: stateOf(host, run).status.summary.state,
  };
}

async function answered(place: Place): Promise<Outcome> {
  const { host } = place;
  return {
    calls: callsOf(place),
    comments: await commentsOf(host),
    marks: host.reactions.map(({ content }) => content).toSorted(),
    decided: decisionsIn(host, run),
    state: stateOf(host, run).status.summary.state,
  };
}

async function swept({ host }: Place): Promise<Outcome> {
  const runs = host.git.git("for-each-ref", "--format=%(refname)", "refs/until-green/").split("\n");
  return {
    runs: runs.toSorted(),
    dead: (await commentsOf(host)).filter((text) => text.includes("lost-run")),
    // A command that was cut off is executed, or answered.
    answered: [
      ...new Set(host.reactions.flatMap(({ on, content }) => (content === "eyes" ? [] : [on]))),
    ].toSorted(),
    decided: decisionsIn(host, "gate-run-0a1b2c3d").filter((one) => one.startsWith("run.decided")),
    started: [...new Set(host.dispatches.map(({ inputs }) => inputs["run-id"]))].toSorted(),
  };
}

/** The first line of each, without ids. */
async function commentsOf(host: GitHubHost): Promise<readonly string[]> {
  const pulls = await host.as("octocat", "GET /pulls?state=all");
  const lists: (readonly { readonly body: string }[])[] = [];
  for (const { number } of pulls) lists.push(await host.as("octocat", `GET /issues/${number}/comments`));
  return lists.flatMap((list) => list.map(({ body }) => body.split("\n").slice(0, 2).join(" ").slice(0, 80)));
}

/** What people said, as often as it is on record. */
function decisionsIn(host: GitHubHost, id: string): readonly string[] {
  const commits = host.git.git("rev-list", "--reverse", `refs/until-green/${id}/state`).split("\n");
  const lines = commits.flatMap((commit) =>
    host.git.git("show", `${commit}:events`).split("\n").filter(Boolean),
  );
  const events = lines.map((line) => JSON.parse(line));
  return events.flatMap(({ type, from, by }) =>
    /decided|messaged/.test(type) ? [`${type} ${by ?? from}`] : [],
  );
}
