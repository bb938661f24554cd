import type { Grade } from "./grade.ts";
import type { Demands, Readiness } from "./readiness.ts";
import { dayOf, failuresOf, type GoalRecord } from "./record.ts";

/** The limits that a workflow or a job sets for a series of runs. */
export interface SeriesLimits extends Demands {
  /** The minimum time between two attempts, in milliseconds. */
  readonly cooldownMs?: number | undefined;
  /** The series ends after this many failed attempts in a row, until something changes. */
  readonly stopAfter?: number | undefined;
  /** How many pull requests of until-green may be open in the repository. */
  readonly maxOpen?: number | undefined;
  readonly dayUsd?: number | undefined;
  readonly dayTokens?: number | undefined;
  readonly pullUsd?: number | undefined;
  /** The daily budget for the runs of one person. */
  readonly personUsd?: number | undefined;
  /** How long a run that waits for a person keeps the goal, in milliseconds; default: 7 days. */
  readonly gateTimeoutMs?: number | undefined;
}

/** The branch of the goal and its pull request. */
export interface GoalBranch {
  /** The work on it; `undefined` if the branch does not exist or adds nothing to the base. */
  readonly work: (Grade & { readonly commit: string }) | undefined;
  readonly pull: { readonly number: number; readonly mergeable: boolean | undefined } | undefined;
  /** The last pull request of the branch, if it was closed unmerged. */
  readonly closed: number | undefined;
  /** Open pull requests of until-green in the repository. */
  readonly open: number;
  /** Whether its pull request meets the goal's requirements; `undefined` if there are none. */
  readonly readiness?: Readiness | undefined;
}

export interface StartView {
  readonly record: GoalRecord;
  readonly branch: GoalBranch;
  readonly limits: SeriesLimits;
  /** ISO 8601. */
  readonly now: string;
  /** The commit of the base. */
  readonly base: string;
  /** Identifies the text of the workflow. */
  readonly file: string;
  readonly by: string | undefined;
  /** True if a person wrote a message: then only another run or a used-up budget prevents an attempt. */
  readonly isAsked: boolean;
  /** The run that holds the claim, unless it has ended or its job is gone. */
  readonly holder: Holder | undefined;
}

export type Holder =
  | { readonly run: string; readonly state: "running" }
  | {
      readonly run: string;
      readonly state: "paused";
      /** When it started to wait for a person, in ISO 8601; `undefined` if it waits for nobody. */
      readonly askingSince: string | undefined;
      /** The earliest time to resume it, in ISO 8601; `undefined` if it can be resumed at any time. */
      readonly wakeAt: string | undefined;
      /** A person asked for the pause: only a person ends it. */
      readonly isHeld?: boolean;
    };

export type Start =
  | { readonly rests: RestReason; readonly because: string }
  /** A paused run of the goal that is due: it is resumed, and no new run starts. */
  | { readonly resumes: string }
  /** A run whose question was not answered in time: it is cancelled, then the decision is made again. */
  | { readonly givesUp: string; readonly because: string }
  | {
      /** Where to start: from the work on the branch, brought up to date, or from the base. */
      readonly from: "branch" | "base";
      /** The rest of the budgets; `undefined` if there are none. */
      readonly usd: number | undefined;
      readonly tokens: number | undefined;
      /** The open items of the pull request, for the agent. */
      readonly open?: Extract<Readiness, { readonly is: "open" }>;
    };

export type RestReason =
  | "in-progress"
  | "green"
  | "waiting"
  | "closed"
  | "cooldown"
  | "stop-after"
  | "max-open"
  | "cap";

/** Decides, before anything is spent, whether another attempt at a goal starts, and with which budget. */
export function decideStart(view: StartView): Start {
  const held = heldBy(view);
  if (held !== undefined) return held;
  const rest = restOf(view);
  if (rest !== undefined) return rest;
  const { limits, branch } = view;
  const left = leftOf(view);
  const cap = capOf(left, limits);
  if (cap !== undefined) return { rests: "cap", because: cap };
  const { dayUsd, pullUsd, personUsd, dayTokens } = left;
  return {
    from: branch.work === undefined || branch.closed !== undefined ? "base" : "branch",
    usd: least([dayUsd, pullUsd, personUsd]),
    tokens: dayTokens,
    ...(branch.work !== undefined && branch.readiness?.is === "open" ? { open: branch.readiness } : {}),
  };
}

type Resting = Extract<Start, { readonly rests: string }>;

/** Only one run at a time works on a goal; a paused run still holds it. */
function heldBy({ holder, ...view }: StartView): Exclude<Start, { readonly from: string }> | undefined {
  if (holder === undefined) return undefined;
  const { run } = holder;
  if (holder.state === "running") return { rests: "in-progress", because: `run ${run} works on it` };
  const { askingSince, wakeAt } = holder;
  if (askingSince !== undefined) return unanswered(run, askingSince, view);
  const resume = `run ${run} was paused by a person; to continue it, comment \`/workflow resume ${run}\``;
  if (holder.isHeld === true) return { rests: "in-progress", because: resume };
  const isDue = wakeAt === undefined || Date.parse(view.now) >= Date.parse(wakeAt);
  // A message is meant for a new run: a resumed one would lose it.
  if (isDue && !view.isAsked) return { resumes: run };
  const waits = isDue ? "its next job" : `${wakeAt}, when it is resumed`;
  return {
    rests: "in-progress",
    because: `run ${run} waits for ${waits}; to cancel it, comment \`/workflow cancel ${run}\``,
  };
}

/** A question holds the goal for a limited time only. */
function unanswered(run: string, since: string, { now, limits }: Pick<StartView, "now" | "limits">) {
  const until = Date.parse(since) + (limits.gateTimeoutMs ?? usualGateTimeoutMs);
  if (Date.parse(now) >= until)
    return {
      givesUp: run,
      because: `nobody answered the question that it asked on ${since} in time`,
    } as const;
  return {
    rests: "in-progress",
    because: `run ${run} waits for a person to answer it, until ${new Date(until).toISOString()}; to cancel it before, comment \`/workflow cancel ${run}\``,
  } as const;
}

const usualGateTimeoutMs = 7 * 86_400_000;
/** The largest accepted difference between the clocks of two machines. */
const mostClockSkewMs = 10 * 60_000;

function restOf(view: StartView): Resting | undefined {
  const { record, branch, limits, isAsked } = view;
  if (isAsked) return undefined;
  const { pull } = branch;
  if (branch.work?.green && branch.work.review === true && pull !== undefined)
    return {
      rests: "waiting",
      because: `pull request #${pull.number} is green, to review: approve it, or close it`,
    };
  if (branch.work?.green && pull !== undefined && pull.mergeable !== false) {
    const done = restOfGreen(pull.number, branch.readiness, record.used ?? []);
    if (done?.rests === "green" && limits.untilMergeable === true && pull.mergeable === undefined)
      return {
        rests: "waiting",
        because: `pull request #${pull.number} is green: GitHub does not say yet whether it can be merged`,
      };
    if (done !== undefined) return done;
  }
  return restOfLimits(view);
}

/** Why the last attempts or the limits prevent another attempt; `undefined` if one may start. */
function restOfLimits({ record, branch, limits, ...view }: StartView): Resting | undefined {
  const last = record.attempts.at(-1);
  const hasChanged = last === undefined || last.base !== view.base || last.file !== view.file;
  if (branch.closed !== undefined && !hasChanged)
    return {
      rests: "closed",
      because: `pull request #${branch.closed} was closed: the next attempt waits until the base or the workflow changes`,
    };
  const failures = failuresOf(record);
  if (limits.stopAfter !== undefined && failures >= limits.stopAfter && last?.file === view.file)
    return {
      rests: "stop-after",
      because: `${failures} attempts in a row have failed: the next one waits until the workflow changes, or until somebody starts a run with a \`message\``,
    };
  // If another machine's clock is far ahead, the recorded end may be in the future. Ignore it then.
  const since = Date.parse(view.now) - Date.parse(last?.at ?? "");
  if (limits.cooldownMs !== undefined && since > -mostClockSkewMs && since < limits.cooldownMs)
    return {
      rests: "cooldown",
      because: `the last attempt ended ${last?.at}, and the cooldown is not over yet`,
    };
  if (limits.maxOpen !== undefined && branch.pull === undefined && branch.open >= limits.maxOpen)
    return {
      rests: "max-open",
      because: `${branch.open} pull requests by until-green are open, and no more are allowed`,
    };
  return undefined;
}

/** A green pull request gets another attempt only for open items that no attempt has worked on. */
function restOfGreen(
  number: number,
  readiness: Readiness | undefined,
  used: readonly string[],
): Resting | undefined {
  const pull = `pull request #${number}`;
  if (readiness === undefined || readiness.is === "ready")
    return { rests: "green", because: `${pull} is green: merge it, or close it` };
  if (readiness.is === "waiting")
    return { rests: "waiting", because: `${pull} is green here: ${readiness.because}` };
  return readiness.keys.every((key) => used.includes(key))
    ? {
        rests: "waiting",
        because: `${pull} is not finished, but an earlier attempt has worked on everything that is open there`,
      }
    : undefined;
}

type Left = Pick<SeriesLimits, "dayUsd" | "dayTokens" | "pullUsd" | "personUsd">;

/** The rest of each budget. */
function leftOf({ record, branch, limits, now, by }: StartView): Left {
  const today = record.spent.find(({ day }) => day === dayOf(now));
  const onPull = record.pull?.number === branch.pull?.number ? (record.pull?.usd ?? 0) : 0;
  const less = (cap: number | undefined, spent: number) => (cap === undefined ? undefined : cap - spent);
  return {
    dayUsd: less(limits.dayUsd, today?.usd ?? 0),
    dayTokens: less(limits.dayTokens, today?.tokens ?? 0),
    pullUsd: less(limits.pullUsd, onPull),
    personUsd: by === undefined ? undefined : less(limits.personUsd, today?.people[by] ?? 0),
  };
}

function capOf(left: Left, limits: SeriesLimits): string | undefined {
  const caps = [
    [left.dayUsd, `the runs of this goal may cost $${limits.dayUsd} a day`],
    [left.dayTokens, `the runs of this goal may use ${limits.dayTokens} tokens a day`],
    [left.pullUsd, `the runs for one pull request may cost $${limits.pullUsd}`],
    [left.personUsd, `the runs that one person starts may cost $${limits.personUsd} a day`],
  ] as const;
  const spent = caps.find(([rest]) => rest !== undefined && rest <= 0);
  return spent === undefined ? undefined : `${spent[1]}, which is used up`;
}

function least(numbers: readonly (number | undefined)[]): number | undefined {
  const known = numbers.filter((one) => one !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
