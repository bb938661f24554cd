import { createHash } from "node:crypto";
import { apiOf, type GitHub, loadGitHub } from "../../src/api/github.ts";
import {
  changeGoal,
  decideStart,
  failuresOf,
  forecastOf,
  forecastText,
  type GoalRecord,
  historyOf,
  notesOf,
  readBranch,
  readGoal,
  type SeriesLimits,
  type Start,
  withAttempt,
  withLost,
} from "../../src/api/publishing.ts";
import type { GoalStore, SeriesFacts } from "../../src/api/runs.ts";
import type { Plan } from "../../src/api/workflows.ts";
import type { GoalStart, Job, Starting } from "../job/job.ts";
import { annotation } from "../job/workflow-commands.ts";
import type { PublishContext } from "../publish/publish-context.ts";
import type { PublishPlan } from "../publish/publish-plan.ts";
import { type Claimant, claimOf, readClaimant } from "./claim-holder.ts";
import { continueWork, noWork } from "./continue-work.ts";
import { attemptOf } from "./end-attempt.ts";
import { type SeenBranch, seeBranch } from "./goal-branch.ts";
import { openMissingPull } from "./open-missing-pull.ts";
import { openPrivateCheckout } from "./private-checkout.ts";

interface GoalRequest extends Starting {
  readonly context: PublishContext;
  readonly target: PublishPlan;
}

/**
 * Decides, before anything is spent, whether a run of a goal starts, and restores the work so far into the checkout.
 */
export async function openGoal(opening: GoalRequest): Promise<GoalStart | undefined> {
  const { context, target, plan } = opening;
  const { github, remote, base, cwd, inputs, job } = context;
  if (github === undefined || remote === undefined || base === undefined) return undefined;
  const checkout = await openPrivateCheckout(cwd, "goal", job);
  if (checkout === undefined) return undefined;
  const limits = limitsOf(context, plan.series);
  const tip = await readBranch({ gitDir: checkout.gitDir, remote, branch: target.branch });
  const seen = await seeBranch({
    github,
    plan: target,
    branch: tip,
    counts: limits.maxOpen !== undefined,
    demands: limits,
    warn: (message) => job.log.annotate(annotation("warning", job.withoutSecrets(message))),
  });
  const isFull = limits.maxOpen !== undefined && seen.open >= limits.maxOpen;
  const branch = isFull ? seen : await openMissingPull(seen, { context, target, workflow: plan.name });
  const file = createHash("sha256").update(JSON.stringify(plan)).digest("hex").slice(0, 16);
  const { record, start } = await claim({ ...opening, github, branch, limits, file, base });
  const { work, pull } = branch;
  if ("resumes" in start) return start;
  if ("rests" in start)
    return {
      rests: start.because,
      published: work && { branch: target.branch, commit: work.commit, pull },
    };
  const continued =
    start.from === "branch" && work !== undefined
      ? await continueWork({ checkout, github, remote, inputs, tip: work.commit, base }, job)
      : noWork;
  const failures = failuresOf(record);
  const series: SeriesFacts = {
    goal: target.branch,
    file,
    ...(continued.hasWork && work !== undefined ? { from: work.commit } : {}),
    notes: notesOf(record),
    history: historyOf(record),
    ...(failures === 0 ? {} : { failures }),
    conflicts: [...continued.conflicts],
    ...(start.open === undefined
      ? {}
      : {
          feedback: job.withoutSecrets(start.open.feedback),
          threads: [...start.open.threads],
          reviewers: [...start.open.reviewers],
        }),
  };
  const { usd, tokens } = start;
  return { series, usd, tokens, forecast: showForecast(record, job) };
}

/** Reports the expected cost before the run. */
function showForecast(record: GoalRecord, job: Job): string | undefined {
  const forecast = forecastOf(record);
  if (forecast === undefined) return undefined;
  const message = forecastText(forecast);
  job.log.annotate(annotation("notice", message, "forecast"));
  return message;
}

interface Claiming extends GoalRequest {
  readonly github: GitHub;
  readonly branch: SeenBranch;
  readonly limits: SeriesLimits;
  readonly file: string;
  readonly base: string;
}

interface Claimed {
  readonly record: GoalRecord;
  readonly start: Exclude<Start, { readonly givesUp: string }>;
}

/** Decides by the goal's record whether the run starts; if so, claims the goal. */
async function claim(claiming: Claiming): Promise<Claimed> {
  const { github, target, branch } = claiming;
  const { goalRefs } = await loadGitHub();
  const store = goalRefs({ api: apiOf(github), ...github.at });
  const { record, start } = await tryClaim(claiming, store);
  if (!("givesUp" in start)) return { record, start };
  const { givesUp: run, because } = start;
  const endedClaim = await claiming.giveUp({ run, because, pull: branch.pull?.number });
  if (endedClaim === undefined)
    return { record, start: { rests: "in-progress", because: `run ${run} was answered a moment ago` } };
  const { origin, series } = endedClaim.facts;
  const attempt = attemptOf(
    endedClaim.summary,
    {
      by: origin?.actor,
      base: origin?.checkout,
      file: series?.file,
      green: false,
      published: false,
      reason: "unanswered",
    },
    claiming.context.job.withoutSecrets,
  );
  await changeGoal(store, {
    goal: target.branch,
    message: `${run} was cancelled`,
    change: (record) => withAttempt(record, attempt, branch.pull?.number),
  });
  return await claim(claiming);
}

async function tryClaim(
  claiming: Claiming,
  store: GoalStore,
): Promise<{ readonly record: GoalRecord; readonly start: Start }> {
  const { branch, limits, file, base, run, isAsked, target, context } = claiming;
  const { job } = context;
  const goal = target.branch;
  const now = new Date().toISOString();
  const before = await readGoal(store, goal);
  const held = before.claim;
  const claimant = held === undefined || held.run === run ? undefined : await readClaimant(held, claiming);
  const lost = lostOf(held, claimant, job);
  const by = job.env["GITHUB_ACTOR"] || undefined;
  const view = { branch, limits, now, base, file, by, isAsked };
  let start: Start | undefined;
  const record = await changeGoal(store, {
    goal,
    message: `${run} begins`,
    change(record) {
      // The other run claimed the goal a moment ago, so it is still in progress.
      const { claim } = record;
      const isNew = claim !== undefined && claim.run !== held?.run;
      const other = isNew ? { run: claim.run, state: "running" as const } : claimant?.holder;
      const isLost = lost !== undefined && claim?.run === lost.run;
      const settled = isLost ? lost.settle(record, branch.pull?.number) : record;
      start = decideStart({ ...view, record: settled, holder: other });
      if (!("from" in start)) return isLost ? settled : undefined;
      const keys = start.open === undefined ? {} : { keys: [...start.open.keys] };
      return { ...settled, claim: { ...claimOf(run, job), file, ...keys } };
    },
  });
  if (start === undefined) throw new TypeError("a goal was opened without a decision");
  return { record, start };
}

/** A run whose end was not recorded: its job was lost, or GitHub did not respond at the end. */
function lostOf(held: GoalRecord["claim"], { holder, status }: Partial<Claimant> = {}, job: Job) {
  if (held === undefined || holder !== undefined || status === undefined) return undefined;
  const { summary, origin } = status;
  const how = {
    by: origin?.actor,
    base: origin?.checkout,
    file: held.file,
    green: summary.conclusion === "success",
    published: false,
    reason: summary.stopReason ?? "interrupted",
  };
  const attempt = { ...attemptOf(summary, how, job.withoutSecrets), at: summary.endedAt ?? held.at };
  const put = summary.state === "ended" ? withAttempt : withLost;
  return { run: held.run, settle: (record: GoalRecord, pull?: number) => put(record, attempt, pull) };
}

/** The file's settings, unless the job overrides them. */
const limitsOf = ({ inputs }: PublishContext, file: Plan["series"] = {}): SeriesLimits => ({
  ...file,
  cooldownMs: inputs.cooldown ?? file.cooldownMs,
  stopAfter: inputs["stop-after"] ?? file.stopAfter,
  maxOpen: inputs["max-open"] ?? file.maxOpen,
  gateTimeoutMs: inputs["gate-timeout"] ?? file.gateTimeoutMs,
  dayUsd: inputs["day-usd"] ?? file.dayUsd,
  dayTokens: inputs["day-tokens"] ?? file.dayTokens,
  pullUsd: inputs["per-pull-request-usd"] ?? file.pullUsd,
  personUsd: inputs["per-person-usd"] ?? file.personUsd,
  untilChecks: checksIn(inputs["until-checks"]) ?? file.untilChecks,
  untilReviews: inputs["until-reviews"] || file.untilReviews,
  untilMergeable: inputs["until-mergeable"] || file.untilMergeable,
});

const checksIn = (names: readonly string[] | undefined): true | readonly string[] | undefined =>
  names?.length === 1 && names[0] === "all" ? true : names;
