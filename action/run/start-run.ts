import { strangersInputs, strangersMessage } from "../../src/api/github.ts";
import { RemoteError, readBranches } from "../../src/api/publishing.ts";
import {
  defined,
  type IssueFacts,
  type RunEnvironment,
  RunExistsError,
  type RunSettings,
  start,
} from "../../src/api/runs.ts";
import { agentsOf, type Diagnostic, firstPart, type Plan } from "../../src/api/workflows.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { type GoalStart, type Job, RefusedError } from "../job/job.ts";
import { readJobEvent } from "../job/job-event.ts";
import { originOf } from "../job/run-origin.ts";
import { annotation } from "../job/workflow-commands.ts";
import type { StepResult } from "../result/step-result.ts";
import { type OpenedStore, onDiskInstead, openRunStore } from "./open-store.ts";
import { runInJob } from "./run-in-job.ts";

export interface RunRequest {
  readonly run: string;
  readonly plan: Plan;
  /** What the compiler warns of in it. */
  readonly warnings: readonly Diagnostic[];
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
export async function driveLocally(request: RunRequest, job: Job): Promise<StepResult> {
  const { run, inputs, cwd, plan } = request;
  // The text of a workflow file is as public as the file.
  const own = inputs.workflow === undefined ? plan : undefined;
  refuseSecrets({ own, agent: agentOf(inputs), model: inputs.model }, job);
  const keeping = await openRunStore({ run, cwd, inputs }, job);
  if (keeping.lines.length > 0) throw taken(run);
  if (keeping.isReadable && readJobEvent(job).repository?.private === false)
    job.log.annotate(annotation("notice", readableText, "readable by everyone"));
  try {
    return await begin(request, keeping, job);
  } catch (error) {
    if (error instanceof RunExistsError) throw taken(run);
    // The run's first claim is the first write: nothing has been done before.
    if (!keeping.lasts || !(error instanceof RemoteError)) throw error;
    return await begin(request, onDiskInstead(keeping, error, job), job);
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

async function begin(request: RunRequest, keeping: OpenedStore, job: Job): Promise<StepResult> {
  const { run, inputs, cwd, plan } = request;
  const agent = agentOf(inputs);
  const agents = agent === undefined ? agentsOf(plan) : [agent];
  return await runInJob(
    {
      run,
      inputs,
      cwd,
      keeping,
      agents,
      continued: request.goal?.series.from,
      async drive(environment, limits) {
        const facts = await factsOf(request, environment, job);
        // A missing agent is reported before anything runs.
        for (const agent of agents) await environment.agent(agent);
        return await start({ plan, facts }, environment, limits);
      },
    },
    job,
  );
}

const agentOf = ({ agent, "agent-command": command }: Inputs): string | undefined =>
  agent ?? (command && `command:${command}`);

/** What checks or reviewers report, if that started this job. Loaded only then. */
async function reportedIn(inputs: Inputs, job: Job): Promise<string | undefined> {
  const { workflow_run: run, check_run: check, review, comment } = readJobEvent(job);
  const failed = [run, check].find((it) => it?.conclusion === "failure")?.head_sha;
  const isReview = review !== undefined || comment?.pull_request_review_id !== undefined;
  if (failed === undefined && !isReview) return undefined;
  return await (await import("../github/reported.ts")).readReported(failed, inputs, job);
}

async function factsOf(
  { run, warnings, file, values, inputs, cwd, goal, issue }: RunRequest,
  environment: RunEnvironment,
  job: Job,
): Promise<RunSettings> {
  const { env } = job;
  const branches = environment.gitWorkspace && (await readBranches(cwd));
  const base =
    inputs.base ?? (env["GITHUB_BASE_REF"] || undefined) ?? branches?.remoteDefault ?? branches?.branch;
  const origin = originOf(job, cwd);
  return {
    run,
    ...strangersMessage(inputs.message ?? "", job.event),
    ...strangersInputs(values, job.event),
    file,
    artifacts: await environment.store.artifacts(run),
    base_branch: base ?? (env["GITHUB_REF_NAME"] || "main"),
    docs_dir: "docs/",
    snapshots: environment.gitWorkspace !== undefined,
    warnings: warnings.map(({ warning: _, ...fault }) => fault),
    ...limitsOf(inputs, goal),
    ...(inputs.publish === "pull-request" ? { reviewed_in: "pull-request" } : {}),
    ...defined({
      agent: agentOf(inputs),
      model: inputs.model,
      issue,
      series: goal?.series,
      reported: await reportedIn(inputs, job),
      origin: origin && { ...origin, ...defined({ issue: issue?.number, checkout: branches?.head }) },
    }),
  };
}

/** Its budget: its own limits, those of its goal, or its initial share of a shared budget. */
function limitsOf(inputs: Inputs, goal: RunRequest["goal"]): Pick<RunSettings, "limits" | "shared_budget"> {
  const shared = inputs["shared-budget"];
  if (shared !== undefined) return { limits: firstPart(shared), shared_budget: shared };
  const usd = least(inputs["max-cost-usd"], goal?.usd);
  const tokens = least(inputs["max-tokens"], goal?.tokens);
  return { limits: defined({ usd, tokens }) };
}

function least(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}
