import {
  agentsOf,
  listenForStop,
  newRunId,
  observe,
  openStopwatch,
  type Plan,
  progressLine,
  type RunFacts,
  readBranches,
  start,
  startSummary,
  type ToldEvent,
} from "../src/index.ts";
import { type Ending, runEnding } from "./ending.ts";
import type { Inputs } from "./inputs.ts";
import { type Job, RefusedError } from "./job.ts";
import type { RunnerLog } from "./runner-log.ts";
import { openWorld } from "./world.ts";

interface Work {
  readonly plan: Plan;
  /** What the plan was made from, as people know it. */
  readonly file: string;
  readonly given: Readonly<Record<string, string>>;
  readonly inputs: Inputs;
  readonly cwd: string;
}

/** Drives a new run to its end or its first pause. */
export async function drive(work: Work, job: Job): Promise<Ending> {
  const { inputs, cwd, plan } = work;
  const hearing = openHearing(job.log);
  const keys = { ...inputs["anthropic-api-key"], ...inputs["openai-api-key"], ...inputs["gemini-api-key"] };
  const own = await openWorld(job, { cwd, keys, tell: hearing.tell });
  const world = job.hosting?.watch(own) ?? own;
  const facts = await factsOf(work, job, {
    artifacts: (run) => world.store.artifacts(run),
    snapshots: world.gitWorkspace !== undefined,
  });
  // An agent that is not there is said before anything runs.
  for (const agent of facts.agent === undefined ? agentsOf(plan) : [facts.agent]) world.agent(agent);
  await refuseTaken(facts.run, world.store);
  const limit = listenForStop(inputs["max-minutes"]);
  let fault: unknown;
  try {
    await job.log.undisturbed(() => start({ plan, facts }, world, { timeLimit: limit.signal }));
  } catch (error) {
    fault = error;
  } finally {
    limit.disarm();
  }
  const { summary, output } = hearing.heard();
  return runEnding({
    summary: { ...summary, run: facts.run },
    output,
    cwd,
    runs: `${job.folder}/runs`,
    fault,
  });
}

async function refuseTaken(run: string, store: { list(): Promise<readonly string[]> }): Promise<void> {
  if (!(await store.list()).includes(run)) return;
  throw new RefusedError(
    `run ${run} is there already: leave \`run-id\` out, or give another; going on with a run is not in this version`,
  );
}

interface Kept {
  artifacts(run: string): Promise<string>;
  readonly snapshots: boolean;
}

async function factsOf(
  { plan, file, given, inputs, cwd }: Work,
  { env }: Job,
  kept: Kept,
): Promise<RunFacts> {
  const run = inputs["run-id"] ?? newRunId(plan.name);
  const command = inputs["agent-command"];
  const agent = inputs.agent ?? (command === undefined ? undefined : `command:${command}`);
  const { branch, remoteDefault } = await readBranches(cwd);
  const base = inputs.base ?? (env["GITHUB_BASE_REF"] || undefined) ?? remoteDefault ?? branch;
  const { model, "max-cost-usd": usd, "max-tokens": tokens } = inputs;
  return {
    run,
    message: inputs.message ?? "",
    inputs: given,
    file,
    ...(agent === undefined ? {} : { agent }),
    ...(model === undefined ? {} : { model }),
    artifacts: await kept.artifacts(run),
    base_branch: base ?? (env["GITHUB_REF_NAME"] || "main"),
    docs_dir: "docs/",
    snapshots: kept.snapshots,
    // Annotations say them already, on the line they are about.
    warnings: [],
    limits: { ...(usd === undefined ? {} : { usd }), ...(tokens === undefined ? {} : { tokens }) },
  };
}

/** Hears what a run tells: prints its progress, and keeps what is to be said of it in the end. */
function openHearing(log: RunnerLog) {
  const timeOf = openStopwatch();
  let summary = startSummary();
  let output = "";
  return {
    tell(event: ToldEvent) {
      summary = observe(summary, event);
      output = outputOf(event) || output;
      const line = progressLine(event, timeOf(event));
      if (line !== undefined) log.say(line);
    },
    heard: () => ({ summary, output }),
  };
}

function outputOf(event: ToldEvent): string {
  const has = event.type === "iteration.ended" || event.type === "run.ended";
  return has || (event.type === "node.ended" && event.status === "completed")
    ? event.output.trim() && event.output
    : "";
}
