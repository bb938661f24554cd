import { z } from "zod";
import type { Infer } from "../ports/infer.ts";
import type { Budget } from "./plan-header.ts";

/** A budget that all jobs of a fan-out share. */
export const sharedBudget = z.strictObject({
  /** Number of jobs. */
  jobs: z.int().min(1).max(9_999),
  usd: z.number().positive().exactOptional(),
  tokens: z.int().positive().exactOptional(),
});

export type SharedBudget = Infer<typeof sharedBudget>;

/** What a job may spend in total; a unit without a limit is not restricted. */
export type Allowance = Pick<Budget, "usd" | "tokens">;

type Unit = keyof Allowance;
type Amount = Readonly<Record<Unit, number>>;

const units = ["usd", "tokens"] as const satisfies readonly Unit[];
/** Money is counted in millionths. */
const steps: Amount = { usd: 1e6, tokens: 1 };

const claim = z.strictObject({ usd: z.number(), tokens: z.number(), at: z.string() });

const claimsSchema = z.strictObject({
  v: z.literal(1),
  /** Each job's total claims, and the time of its latest claim, by job number. */
  jobs: z.record(z.string(), claim),
  /** Times of the latest claims, oldest first. */
  recent: z.array(z.string()),
});

/** What the jobs of a fan-out have claimed beyond their initial shares. */
export type Claims = z.infer<typeof claimsSchema>;

export const noClaims: Claims = { v: 1, jobs: {}, recent: [] };

/** Parses recorded claims; `undefined` if they are in an unknown format. */
export function parseClaims(recorded: unknown): Claims | undefined {
  return recorded === undefined ? noClaims : claimsSchema.safeParse(recorded).data;
}

/** The spending that a job has recorded. */
export interface JobSpending extends Amount {
  readonly ended: boolean;
}

export interface AskedClaim {
  /** The number of the claiming job. */
  readonly job: number;
  readonly spent: Amount;
  /** Expected cost of its next call; 0 if unknown. */
  readonly need: Amount;
  /** In milliseconds since 1970. */
  readonly now: number;
}

/**
 * What the job may spend now; or how long to wait before asking again; or the allowance that takes effect once
 * `claims` are recorded.
 */
export type ClaimAnswer =
  | { readonly allowed: Allowance; readonly claims?: Claims }
  | { readonly waitMs: number };

/** A job's initial share, which needs no claim: half of its equal part. The other half is for jobs that need more. */
export const firstPart = (budget: SharedBudget): Allowance =>
  ofEach(budget, (unit, cap) => roundDown(unit, cap / (2 * budget.jobs)));

/** GitHub recommends at most six pushes a minute. */
const most = { claims: 6, inMs: 60_000 };
/** Maximum lifetime of a job. A claim older than that belongs to a job that has ended or was killed. */
const lifeMs = 6 * 60 * 60_000;

/**
 * Decides a job's claim. A job that has ended returns what it did not spend; the claims of a killed job expire six
 * hours after its last one. A grant covers several calls, so that claims are rare.
 */
export function decideClaim(
  budget: SharedBudget,
  { claims, jobs }: { readonly claims: Claims; readonly jobs: ReadonlyMap<number, JobSpending> },
  { job, spent, need, now }: AskedClaim,
): ClaimAnswer {
  const isAlive = ({ at }: { readonly at: string }) => Date.parse(at) > now - lifeMs;
  const living = Object.fromEntries(Object.entries(claims.jobs).filter(([, one]) => isAlive(one)));
  const first = firstPart(budget);
  const claimed = (number: number, unit: Unit) => living[number]?.[unit] ?? 0;
  const allowance = (number: number, unit: Unit) => (first[unit] ?? 0) + claimed(number, unit);
  const allowed = ofEach(budget, (unit) => allowance(job, unit));
  const shortfall = ofEach(budget, (unit) => {
    const wanted = Math.max(need[unit], 1 / steps[unit]);
    return roundUp(unit, Math.max(0, spent[unit] + wanted - allowance(job, unit)));
  });
  if (units.every((unit) => (shortfall[unit] ?? 0) === 0)) return { allowed };
  const takenBy = (number: number, unit: Unit) => {
    const known = jobs.get(number);
    return known?.ended ? known[unit] : Math.max(allowance(number, unit), known?.[unit] ?? 0);
  };
  const others = Array.from({ length: budget.jobs }, (_, at) => at + 1).filter((number) => number !== job);
  const working = 1 + others.filter((number) => !jobs.get(number)?.ended).length;
  const free = ofEach(budget, (unit, cap) => {
    const taken = others.reduce((all, number) => all + takenBy(number, unit), 0);
    return roundDown(unit, cap - taken - Math.max(allowance(job, unit), spent[unit]));
  });
  const beyond = (unit: Unit) => Math.max(0, spent[unit] - allowance(job, unit));
  if (units.some((unit) => (shortfall[unit] ?? 0) > (free[unit] ?? Infinity) + beyond(unit)))
    return { allowed };
  const recent = claims.recent.filter((at) => Date.parse(at) > now - most.inMs).slice(-most.claims);
  if (recent.length === most.claims)
    return { waitMs: Math.max(1, Date.parse(recent[0] ?? "") + most.inMs - now) };
  const granted = ofEach(budget, (unit) => {
    const left = (free[unit] ?? 0) + beyond(unit);
    const batch = Math.max(first[unit] ?? 0, left / (2 * working));
    return roundDown(unit, Math.min(left, (shortfall[unit] ?? 0) === 0 ? 0 : (shortfall[unit] ?? 0) + batch));
  });
  const at = new Date(now).toISOString();
  const share = {
    usd: claimed(job, "usd") + (granted.usd ?? 0),
    tokens: claimed(job, "tokens") + (granted.tokens ?? 0),
    at,
  };
  return {
    allowed: ofEach(budget, (unit) => (first[unit] ?? 0) + share[unit]),
    claims: { v: 1, jobs: { ...living, [job]: share }, recent: [...recent, at] },
  };
}

/** An amount for each unit that has a cap. */
function ofEach(budget: SharedBudget, amount: (unit: Unit, cap: number) => number): Allowance {
  const known = units.flatMap((unit) => {
    const cap = budget[unit];
    return cap === undefined ? [] : [[unit, amount(unit, cap)] as const];
  });
  return Object.fromEntries(known);
}

/** Tolerance for sums of floating-point amounts. */
const tolerance = 1e-3;
const roundDown = (unit: Unit, amount: number) => Math.floor(amount * steps[unit] + tolerance) / steps[unit];
const roundUp = (unit: Unit, amount: number) => Math.ceil(amount * steps[unit] - tolerance) / steps[unit];
