import type { Budget, BudgetLimits } from "../plan/plan.ts";
import { addUsage, budgetTokens, noUsage, type Usage } from "../ports/agent.ts";
import { type Amount, type BudgetReservations, createBudgetReservations } from "./budget-reservations.ts";

type Limits = Pick<Budget, "usd" | "tokens">;

/** A message on its way to a node. */
export interface QueuedMessage {
  readonly from: string;
  readonly text: string;
}

/** A run's totals, counted from its log. */
export interface RunTotals {
  readonly usage: Usage;
  /** Active time in milliseconds; waiting for people does not count. */
  readonly activeMs: number;
  readonly iterations: number;
  /** The budget the run was started with, plus its claims on a shared budget. */
  readonly limits: Limits;
  /** How many answers or failures of agents carried each tag. */
  readonly tags: ReadonlyMap<string, number>;
  /** Cost of agent calls, and reservations for those in flight. */
  readonly reservations: Omit<BudgetReservations, "settle">;
  /** Takes the messages for any of these names, in the order they were sent. */
  takeMessages(names: readonly string[]): readonly QueuedMessage[];
  /** True the first time this notice is seen in a run. Used to emit it once. */
  isNew(text: string): boolean;
}

/** The run totals, with the methods by which the session updates them. */
export interface MutableRunTotals extends RunTotals {
  readonly reservations: BudgetReservations;
  spend(usage: Usage | undefined, tag: string | undefined): void;
  countIteration(): void;
  /** Sets the limits. */
  allow(limits: Limits): void;
  queueMessage(to: string, message: QueuedMessage): void;
  /** The messages for any of these names. */
  waiting(names: readonly string[]): readonly QueuedMessage[];
  /** Removes one message for any of these names; false if there was none. */
  takeOut(names: readonly string[], message: QueuedMessage): boolean;
  /** The messages that no step took. */
  undelivered(): readonly (QueuedMessage & { readonly to: string })[];
  /** Records an event's time (ISO 8601). While the run is paused, time does not count. */
  tick(at: string, isPaused: boolean): void;
}

export function createRunTotals(initial: Limits = {}): MutableRunTotals {
  const tags = new Map<string, number>();
  const known = new Set<string>();
  let queued: readonly (QueuedMessage & { readonly to: string })[] = [];
  let last: number | undefined;
  const waiting = (names: readonly string[]): readonly QueuedMessage[] =>
    queued.flatMap(({ to, from, text }) => (names.includes(to) ? [{ from, text }] : []));
  const totals: { -readonly [Key in keyof MutableRunTotals]: MutableRunTotals[Key] } = {
    usage: noUsage,
    activeMs: 0,
    iterations: 0,
    limits: initial,
    tags,
    reservations: createBudgetReservations(),
    takeMessages(names) {
      const taken = waiting(names);
      if (taken.length > 0) queued = queued.filter(({ to }) => !names.includes(to));
      return taken;
    },
    isNew: (text) => known.size < known.add(text).size,
    spend(spent, tag) {
      totals.usage = addUsage(totals.usage, spent);
      if (tag !== undefined) tags.set(tag, (tags.get(tag) ?? 0) + 1);
    },
    allow(limits) {
      totals.limits = limits;
    },
    countIteration() {
      totals.iterations += 1;
    },
    queueMessage(to, { from, text }) {
      queued = [...queued, { from, text, to }];
    },
    waiting,
    takeOut(names, { from, text }) {
      const message = queued.find((it) => names.includes(it.to) && it.from === from && it.text === text);
      queued = queued.filter((it) => it !== message);
      return message !== undefined;
    },
    undelivered: () => queued,
    tick(at, isPaused) {
      const now = Date.parse(at);
      if (last !== undefined && !isPaused && now > last) totals.activeMs += now - last;
      last = now;
    },
  };
  return totals;
}

/**
 * The notices after an answer: the agent does not report what the budget limits, or a warning threshold is reached.
 */
export function budgetNotices(
  budget: Budget,
  totals: RunTotals,
  { agent = "the agent", usage }: { readonly agent?: string | undefined; readonly usage: Usage | undefined },
): readonly { readonly code: string; readonly message: string }[] {
  const missing = missingUsage(budget, usage);
  const message = `${agent} does not report ${missing}: limit its iterations and minutes`;
  return [
    ...(missing !== undefined && totals.isNew(message) ? [{ code: "USAGE_UNKNOWN", message }] : []),
    ...dueWarnings(budget, totals).map((message) => ({ code: "BUDGET_WARNING", message })),
  ];
}

/** Warnings that are due for the amounts spent; each one only once per run. */
function dueWarnings({ warnings = [] }: Budget, totals: RunTotals): readonly string[] {
  const { usage, activeMs } = totals;
  const tokens = budgetTokens(usage);
  const minutes = activeMs / 60_000;
  const due = [
    ["usd", usage.cost_usd, `${usage.cost_usd.toFixed(2)} USD spent`],
    ["tokens", tokens, `${tokens} tokens spent`],
    ["minutes", minutes, `active for ${minutes.toFixed(1)} minutes`],
  ] as const;
  return warnings.flatMap((warning) =>
    due.flatMap(([unit, amount, text]) => {
      const at = warning[unit];
      if (at === undefined || amount < at - tolerance || !totals.isNew(`warned at ${at} ${unit}`)) return [];
      return [`${text}; the workflow asks for a warning at ${at} ${unit === "usd" ? "USD" : unit}`];
    }),
  );
}

/**
 * Which part of the budget is not enforced for an agent that reports this usage, as text; `undefined` if all of it
 * is.
 */
function missingUsage({ usd, tokens }: Budget, usage: Usage | undefined): string | undefined {
  if (tokens !== undefined && usage === undefined)
    return `how many tokens its calls take, so the budget of ${tokens} tokens cannot limit it`;
  const isFree = usage?.cost_usd === 0 && usage.input_tokens + usage.output_tokens === 0;
  if (usd !== undefined && !isFree && (usage?.cost_usd ?? 0) === 0)
    return `what its calls cost, so the budget of ${usd} USD cannot limit it`;
  return undefined;
}

/** Why the budget is exhausted, as text; `undefined` while some is left. */
export function exhaustedBudget(
  budget: Budget,
  { usage, activeMs }: Pick<RunTotals, "usage" | "activeMs">,
): string | undefined {
  const tokens = budgetTokens(usage);
  if (budget.usd !== undefined && usage.cost_usd >= budget.usd) {
    return `the budget of ${budget.usd} USD is used up (${usage.cost_usd.toFixed(2)} USD spent)`;
  }
  if (budget.tokens !== undefined && tokens >= budget.tokens) {
    return `the budget of ${budget.tokens} tokens is used up (${tokens} spent)`;
  }
  if (budget.minutes !== undefined && activeMs >= budget.minutes * 60_000) {
    return `the budget of ${budget.minutes} minutes is used up`;
  }
  return undefined;
}

/** Why the budget does not cover another call of a node, as text: spent plus reserved plus expected exceeds it. */
export function insufficientBudget(
  budget: Budget,
  totals: RunTotals,
  { node, expected }: NextCall,
): string | undefined {
  const over = exhaustedBudget(budget, totals);
  if (over !== undefined) return over;
  const { usage, reservations } = totals;
  const reserved = reservations.reserved();
  const spent = { usd: usage.cost_usd, tokens: budgetTokens(usage) };
  const limits = [
    ["usd", (amount: number) => `${amount.toFixed(2)} USD`],
    ["tokens", (amount: number) => `${Math.round(amount)} tokens`],
  ] as const;
  for (const [unit, shown] of limits) {
    const limit = budget[unit];
    const bound = spent[unit] + reserved[unit];
    if (limit === undefined || (bound < limit - tolerance && bound + expected[unit] <= limit + tolerance))
      continue;
    const parts = [
      `${shown(spent[unit])} spent`,
      ...(reserved[unit] > 0 ? [`${shown(reserved[unit])} reserved for calls in flight`] : []),
      ...(expected[unit] > 0 ? [`about ${shown(expected[unit])} expected`] : []),
    ];
    return `the budget of ${limit} ${unit === "usd" ? "USD" : unit} does not cover another call of ${node} (${parts.join(", ")})`;
  }
  return undefined;
}

/** A call that has not started, and its expected cost. */
export interface NextCall {
  readonly node: string;
  readonly expected: Amount;
}

/** Tolerance for sums of floating-point amounts. */
const tolerance = 1e-9;

/** The smaller of two budgets, limit by limit. */
export function minBudget(one: Budget, other: Budget): Budget {
  const least = (key: keyof BudgetLimits) => {
    const limit = Math.min(one[key] ?? Infinity, other[key] ?? Infinity);
    return limit === Infinity ? {} : { [key]: limit };
  };
  const warnings = [...(one.warnings ?? []), ...(other.warnings ?? [])];
  return {
    ...least("usd"),
    ...least("tokens"),
    ...least("minutes"),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}
