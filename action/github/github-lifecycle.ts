import type { GitHub } from "../../src/api/github.ts";
import { readBranches } from "../../src/api/publishing.ts";
import {
  createRunProjection,
  defined,
  type RunEnvironment,
  type RunOrigin,
  type RunStatus,
  type SeriesFacts,
  type Summary,
} from "../../src/api/runs.ts";
import type { Plan } from "../../src/api/workflows.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { branchOf, conversationIn, readGitHubContext } from "../job/github-context.ts";
import { type Job, type JobServices, RefusedError } from "../job/job.ts";
import { statusJob } from "../job/run-origin.ts";
import { annotation } from "../job/workflow-commands.ts";
import { branchesOf, type PublishContext } from "../publish/publish-context.ts";
import { goalBranch, issueOfGoal, type PublishPlan, planPublish } from "../publish/publish-plan.ts";
import type { StepResult } from "../result/step-result.ts";
import { openRunGoal } from "../series/run-goal.ts";
import { openIterations } from "./iteration-snapshots.ts";
import { refuseFork, runPreflight } from "./preflight.ts";
import { freshAccess, publishToken, tryPushToken } from "./publish-token.ts";
import { judgedHead } from "./pull-target.ts";
import { createStatusUpdates, type StatusUpdates } from "./status-updates.ts";

/** The GitHub side of a run: preflight, status updates, and publishing. */
export interface GitHubLifecycle extends JobServices {
  /** Publishes the work of a run that ended or paused in this job, and updates its status. */
  finish(ending: StepResult): Promise<StepResult>;
}

interface LifecycleOptions {
  readonly inputs: Inputs;
  readonly cwd: string;
  /** A run of an earlier job; `undefined` for a new one. */
  readonly resumed?: Resumed | undefined;
}

interface Resumed {
  readonly run: string;
  readonly origin: RunOrigin | undefined;
  readonly series: SeriesFacts | undefined;
  readonly plan: Plan;
}

/** Runs the preflight; throws `RefusedError` if the run must not start. */
export async function openGitHubLifecycle(
  { inputs, cwd, resumed }: LifecycleOptions,
  job: Job,
): Promise<GitHubLifecycle> {
  const origin = resumed?.origin;
  const site = readGitHubContext(job, origin);
  if (site === undefined) return withoutGitHub(inputs);
  refuseFork(site, site.fork);
  const github = await openClient(inputs);
  const { pull, tip, defaultBranch } = await runPreflight({ inputs, site, github }, job);
  const { head } = await readBranches(cwd);
  const heads = [site.pull?.headSha, tip];
  const judged =
    inputs.publish === "push" && pull !== undefined && head !== undefined
      ? await judgedHead({ cwd, number: pull.number, heads, head, started: resumed, github }, job)
      : undefined;
  const issueOf = await startIssues(github, origin === undefined ? site.issue : undefined);
  await tryPushToken(inputs, job);
  const target = judged === undefined || pull === undefined ? pull : { ...pull, headSha: judged };
  const checkedSite = { ...site, pull: target, head: origin?.head ?? target?.headSha ?? site.head };
  const restored = await restore(inputs, cwd, { site: checkedSite, job });
  if (inputs.publish !== "none" && head === undefined)
    throw new RefusedError(
      `\`publish: ${inputs.publish}\` needs a checked-out commit, and ${cwd} has none: check out the repository with actions/checkout`,
    );
  const remote =
    inputs.publish === "none"
      ? undefined
      : await branchesOf({ site: checkedSite, job, cwd }, await publishToken(inputs, job));
  const opener = await openPusher(inputs);
  const context = { inputs, cwd, job, site: checkedSite, github, opener, base: head, restored, remote };
  const plan = (workflow: string) => planOf(context, { workflow, defaultBranch });
  // An invalid branch is reported before any agent runs.
  plan("a workflow");
  return {
    ...open(context, plan, resumed),
    issue: async (workflow) =>
      origin === undefined ? await issueOf(issueOfGoal(workflow, inputs, checkedSite)) : undefined,
  };
}

/** Reads the job's issue first: if that fails, the run is refused before anything else happens. */
async function startIssues(github: GitHub | undefined, first: number | undefined) {
  const read = async (number: number) =>
    await (await import("./issue-start.ts")).readStartIssue(github, number);
  const known = first === undefined ? undefined : await read(first);
  return async (number: number | undefined) =>
    number === undefined || number === first ? known : await read(number);
}

/** A pull request's files that instruct agents are restored from its base before anything reads them. */
async function restore(inputs: Inputs, cwd: string, { site, job }: Pick<PublishContext, "site" | "job">) {
  const commit = site.pull?.baseSha;
  if (commit === undefined) return [];
  const { restoreTrusted } = await import("./restore-trusted-files.ts");
  const restored = await restoreTrusted({ inputs, cwd, site, commit }, job);
  if (restored.length > 0)
    job.log.say(
      `Restored from ${commit.slice(0, 12)}, because these files instruct agents: ${restored.join(", ")}`,
    );
  return restored;
}

function withoutGitHub({ publish }: Inputs): GitHubLifecycle {
  if (publish !== "none")
    throw new RefusedError(
      `\`publish: ${publish}\` works only in a GitHub Actions job (GITHUB_REPOSITORY is not set): omit \`publish\``,
    );
  return { site: undefined, watch: (environment) => environment, finish: async (ending) => ending };
}

/** The client for this job's token; `undefined` without one. */
export async function openClient(inputs: Inputs): Promise<GitHub | undefined> {
  const token = inputs["github-token"];
  if (token === undefined) return undefined;
  const { openJobClient } = await import("./client.ts");
  return openJobClient({ token, patienceMs: 20_000 });
}

/** The client for `push-token`; `undefined` without one. An app token is created when the work is published. */
export async function openPusher(inputs: Inputs): Promise<GitHub | undefined> {
  const token = inputs["app-id"] === undefined ? inputs["push-token"] : undefined;
  return token === undefined ? undefined : await openClient({ ...inputs, "github-token": token });
}

/** Where a workflow's work is published; `undefined` if it is not. Throws if that is not allowed. */
export function planOf(
  { inputs, site, job }: Pick<PublishContext, "inputs" | "site" | "job">,
  of: { workflow: string; defaultBranch: string },
): PublishPlan | undefined {
  const { publish: way } = inputs;
  if (way === "none") return undefined;
  const issue = issueOfGoal(of.workflow, inputs, site);
  return planPublish({
    way,
    inputs,
    site: { ...site, issue },
    ...of,
    // A run triggered by the goal's own pull request still targets the base.
    pullBranch:
      site.pull?.branch === (inputs.branch ?? goalBranch(of.workflow, issue)) ? undefined : site.pull?.branch,
    ref: branchOf(job.env),
  });
}

function open(
  context: PublishContext,
  plan: (workflow: string) => PublishPlan | undefined,
  origin: LifecycleOptions["resumed"],
): GitHubLifecycle {
  const { job } = context;
  const board = boardOf(context, (run) => environment?.store.mark?.(run));
  const follower = createRunProjection();
  const iterations = openIterations();
  let environment: RunEnvironment | undefined;
  let known: RunStatus | undefined;
  const goal = openRunGoal({ context, plan, begun: origin });
  return {
    site: context.site,
    ...goal.services,
    watch(base) {
      environment = base;
      return {
        ...base,
        recall(events) {
          for (const event of events) iterations.record(event);
          follower.recall(events);
          base.recall?.(events);
        },
        emit(event) {
          iterations.record(event);
          follower.emit(event);
          base.emit(event);
          board?.look(statusWith(follower.summary, known, job));
        },
        statusOf(session, upcoming) {
          const status = base.statusOf?.(session, upcoming) ?? follower.statusOf(session, upcoming);
          known = { ...(status as unknown as RunStatus), ...defined({ comment: board?.comment() }) };
          return known as unknown as typeof status;
        },
      };
    },
    async finish(ending) {
      if (ending.summary === undefined || ending.lost === true) return ending;
      // A run resumed in another checkout is based on the commit of its first one.
      const base = known?.origin?.checkout ?? context.base;
      const from = { ...context, base, ...(await freshAccess(context)) };
      const snapshots = { environment, iterations: iterations.all, checked: iterations.checked };
      const { series, templates } = goal;
      const { publishEnding } = await import("../publish/publish-result.ts");
      const published = await publishEnding(
        { context: from, plan, snapshots, notes: iterations.notes, series, templates },
        ending,
      );
      const recorded = await goal.end({ context: from, result: published, notes: iterations.notes });
      board?.look(statusWith(published.summary ?? ending.summary, known, job));
      const shown = await board?.close();
      const { announceRun } = await import("./gate-notices.ts");
      const lines = await announceRun(context, { published, known, comment: shown?.comment });
      const problems = [...(shown?.problems ?? []), ...lines].map((message) =>
        annotation("warning", job.withoutSecrets(message)),
      );
      return {
        ...withForecast(published, goal.madeForecast),
        annotations: [...published.annotations, ...problems, ...recorded],
        ...defined({ comment: shown?.comment }),
      };
    },
  };
}

/** Shows the expected cost next to the actual one. */
const withForecast = (ending: StepResult, forecast: string | undefined): StepResult =>
  forecast === undefined ? ending : { ...ending, page: `${ending.page}\n${forecast}\n` };

function boardOf(
  { inputs, site, github, job }: PublishContext,
  mark: (run: string) => string | undefined,
): StatusUpdates | undefined {
  if (github === undefined) return undefined;
  const { comment, "check-run": check } = inputs;
  return createStatusUpdates({
    publisher: { github, server: site.server, clean: job.withoutSecrets, mark },
    comment: comment === "none" ? undefined : conversationIn(site),
    check: check === "false" ? undefined : site.head,
    enabled: { comment: comment === "sticky", check: check === "true" },
  });
}

/** The last recorded status knows the gates; the summary may be newer. */
function statusWith(summary: Summary, known: RunStatus | undefined, job: Job): RunStatus {
  const open = new Set(summary.gates.map(({ path }) => path));
  return {
    ...known,
    v: 1,
    origin: known?.origin,
    job: known?.job ?? statusJob(job),
    work: known?.work,
    summary,
    gates: (known?.gates ?? []).filter(({ path }) => open.has(path)),
  };
}
