import {
  agentsOf,
  newRunId,
  type Plan,
  RemoteError,
  type RunFacts,
  readBranches,
  start,
  TakenRunError,
  type World,
} from "../../src/index.ts";
import type { Ending } from "../ending/ending.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { type Job, RefusedError } from "../job/job.ts";
import { originOf } from "../job/origin.ts";
import { conduct } from "./conduct.ts";
import { type Keeping, onDiskInstead, openKeeping } from "./keeping.ts";

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
  // What a workflow's file says is no more of a secret than the file.
  const own = inputs.workflow === undefined ? plan : undefined;
  refuseSecrets({ own, agent: agentOf(inputs), model: inputs.model }, job);
  const run = inputs["run-id"] ?? newRunId(plan.name);
  const keeping = await openKeeping({ run, cwd, inputs }, job);
  if (keeping.lines.length > 0) throw taken(run);
  try {
    return await begin({ ...work, run, keeping }, job);
  } catch (error) {
    if (error instanceof TakenRunError) throw taken(run);
    // The run's first claim is the first thing written there: nothing has been done yet.
    if (!keeping.lasts || !(error instanceof RemoteError)) throw error;
    return await begin({ ...work, run, keeping: onDiskInstead(keeping, error, job) }, job);
  }
}

/** What the record begins with is carried out as it stands there, so nothing can be struck from it. */
function refuseSecrets(recorded: object, job: Job): void {
  const text = JSON.stringify(recorded);
  if (job.withoutSecrets(text) !== text)
    throw new RefusedError(
      "a key or a token stands in the prompt, the check, `agent-command` or `model`, and the record of a run is as public as its repository: name an environment variable there (`$NAME` in a command) and give it the secret in `env`",
    );
}

const taken = (run: string) =>
  new RefusedError(
    `run ${run} is there already: go on with it by \`command: resume\`, or leave \`run-id\` out and begin another`,
  );

interface Beginning extends Work {
  readonly run: string;
  readonly keeping: Keeping;
}

async function begin(work: Beginning, job: Job): Promise<Ending> {
  const { run, inputs, cwd, keeping, plan } = work;
  return await conduct(
    {
      run,
      inputs,
      cwd,
      keeping,
      agents: namedIn(work),
      async drive(world, limits) {
        const facts = await factsOf(work, world, job);
        // An agent that is not there is said before anything runs.
        for (const agent of namedIn(work)) world.agent(agent);
        return await start({ plan, facts }, world, limits);
      },
    },
    job,
  );
}

function agentOf({ agent, "agent-command": command }: Inputs): string | undefined {
  return agent ?? (command === undefined ? undefined : `command:${command}`);
}

/** The agents that will be asked. */
function namedIn({ inputs, plan }: Work): Iterable<string | undefined> {
  const agent = agentOf(inputs);
  return agent === undefined ? agentsOf(plan) : [agent];
}

async function factsOf(
  { run, file, given, inputs, cwd, keeping }: Beginning,
  world: World,
  job: Job,
): Promise<RunFacts> {
  const { env } = job;
  const agent = agentOf(inputs);
  const { head, branch, remoteDefault } =
    keeping.repository === undefined ? nowhere : await readBranches(cwd);
  const base = inputs.base ?? (env["GITHUB_BASE_REF"] || undefined) ?? remoteDefault ?? branch;
  const { model, "max-cost-usd": usd, "max-tokens": tokens } = inputs;
  const origin = originOf(job, cwd);
  return {
    run,
    message: inputs.message ?? "",
    inputs: given,
    file,
    ...(agent === undefined ? {} : { agent }),
    ...(model === undefined ? {} : { model }),
    artifacts: await world.store.artifacts(run),
    base_branch: base ?? (env["GITHUB_REF_NAME"] || "main"),
    docs_dir: "docs/",
    snapshots: world.gitWorkspace !== undefined,
    // Annotations say them already, on the line they are about.
    warnings: [],
    limits: { ...(usd === undefined ? {} : { usd }), ...(tokens === undefined ? {} : { tokens }) },
    ...(origin === undefined
      ? {}
      : { origin: { ...origin, ...(head === undefined ? {} : { checkout: head }) } }),
  };
}

const nowhere = { head: undefined, branch: undefined, remoteDefault: undefined };
