import { strangersInputs, strangersMessage } from "../../src/api/github.ts";
import { RemoteError, readBranches } from "../../src/api/publishing.ts";
import {
  type IssueFacts,
  type RunEnvironment,
  RunExistsError,
  type RunSettings,
  start,
} from "../../src/api/runs.ts";
import { agentsOf, firstPart, type Plan } from "../../src/api/workflows.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { type GoalStart, type Job, RefusedError } from "../job/job.ts";
import { readJobEvent } from "../job/job-event.ts";
import { originOf } from "../job/run-origin.ts";
import type { StepResult } from "../result/step-result.ts";
import { type OpenedStore, onDiskInstead, openRunStore } from "./open-store.ts";
import { runInJob } from "./run-in-job.ts";

interface Work {
  readonly run: string;
  readonly plan: Plan;
  /** The source of the plan, as people see it. */
  readonly file: string;
  readonly values: Readonly<Record<string, string>>;
  readonly inputs: Inputs;
  readonly cwd: string;
  /** What earlier runs of the same goal left for this one. */
  readonly goal?: Extract<GoalStart, { readonly series: unknown }> | undefined;
  readonly issue?: IssueFacts | undefined;
}

/** Drives a new run to its end or its first pause. */
export async function driveLocally(work: Work, job: Job): Promise<StepResult> {
  const { run, inputs, cwd, plan } = work;
  // The text of a workflow file is as public as the file.
  const own = inputs.workflow === undefined ? plan : undefined;
  refuseSecrets({ own, agent: agentOf(inputs), model: inputs.model }, job);
  const keeping = await openRunStore({ run, cwd, inputs }, job);
  if (keeping.lines.length > 0) throw taken(run);
  if (keeping.isReadable && readJobEvent(job).repository?.private === false)
    job.log.annotate({ level: "notice", title: "until-green: readable by everyone", message: readableText });
  try {
    return await begin({ ...work, keeping }, job);
  } catch (error) {
    if (error instanceof RunExistsError) throw taken(run);
    // The run's first claim is the first write: nothing has been done before.
    if (!keeping.lasts || !(error instanceof RemoteError)) throw error;
    return await begin({ ...work, keeping: onDiskInstead(keeping, error, job) }, job);
  }
}

/** The record's first event is executed as written, so it cannot be redacted. */
function refuseSecrets(recorded: object, job: Job): void {
  const text = JSON.stringify(recorded);
  if (job.withoutSecrets(text) !== text)
    throw new RefusedError(
      "the prompt, the check, `agent-command` or `model` contains a key or a token, and run records are as public as the repository: use an environment variable instead (`$NAME` in a command) and give it the secret in `env`",
    );
}

const readableText =
  "this repository is public, and so is the record of this run: its prompts, what agents say, the output of checks and the " +
  "workspace of each iteration. Give `state-key` a secret to encrypt all but the workspace, or `store: bundle:FILE` to keep " +
  "the run out of the repository";

const taken = (run: string) =>
  new RefusedError(
    `run ${run} already exists: resume it with \`command: resume\`, re-run the job that started it, or omit \`run-id\` to start another run`,
  );

interface Beginning extends Work {
  readonly keeping: OpenedStore;
}

async function begin(work: Beginning, job: Job): Promise<StepResult> {
  const { run, inputs, cwd, keeping, plan } = work;
  return await runInJob(
    {
      run,
      inputs,
      cwd,
      keeping,
      agents: namedIn(work),
      async drive(environment, limits) {
        const facts = await factsOf(work, environment, job);
        // A missing agent is reported before anything runs.
        for (const agent of namedIn(work)) await environment.agent(agent);
        return await start({ plan, facts }, environment, limits);
      },
    },
    job,
  );
}

function agentOf({ agent, "agent-command": command }: Inputs): string | undefined {
  return agent ?? (command === undefined ? undefined : `command:${command}`);
}

/** The agents that the run will call. */
function namedIn({ inputs, plan }: Work): Iterable<string | undefined> {
  const agent = agentOf(inputs);
  return agent === undefined ? agentsOf(plan) : [agent];
}

async function factsOf(
  { run, file, values, inputs, cwd, keeping, goal, issue }: Beginning,
  environment: RunEnvironment,
  job: Job,
): Promise<RunSettings> {
  const { env } = job;
  const agent = agentOf(inputs);
  const { head, branch, remoteDefault } =
    keeping.repository === undefined ? nowhere : await readBranches(cwd);
  const base = inputs.base ?? (env["GITHUB_BASE_REF"] || undefined) ?? remoteDefault ?? branch;
  const { model } = inputs;
  const origin = originOf(job, cwd);
  return {
    run,
    ...strangersMessage(inputs.message ?? "", job.event),
    ...strangersInputs(values, job.event),
    file,
    ...(agent === undefined ? {} : { agent }),
    ...(model === undefined ? {} : { model }),
    artifacts: await environment.store.artifacts(run),
    base_branch: base ?? (env["GITHUB_REF_NAME"] || "main"),
    docs_dir: "docs/",
    snapshots: environment.gitWorkspace !== undefined,
    // Already shown as annotations on their lines.
    warnings: [],
    ...limitsOf(inputs, goal),
    ...(issue === undefined ? {} : { issue }),
    ...(goal === undefined ? {} : { series: goal.series }),
    ...(origin === undefined
      ? {}
      : {
          origin: {
            ...origin,
            ...(issue === undefined ? {} : { issue: issue.number }),
            ...(head === undefined ? {} : { checkout: head }),
          },
        }),
  };
}

/** Its budget: its own limits, those of its goal, or its initial share of a shared budget. */
function limitsOf(inputs: Inputs, goal: Beginning["goal"]): Pick<RunSettings, "limits" | "shared_budget"> {
  const shared = inputs["shared-budget"];
  if (shared !== undefined) return { limits: firstPart(shared), shared_budget: shared };
  const usd = least(inputs["max-cost-usd"], goal?.usd);
  const tokens = least(inputs["max-tokens"], goal?.tokens);
  return {
    limits: { ...(usd === undefined ? {} : { usd }), ...(tokens === undefined ? {} : { tokens }) },
  };
}

function least(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}

const nowhere = { head: undefined, branch: undefined, remoteDefault: undefined };
