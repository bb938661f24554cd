import type { Budget } from "../plan/plan.ts";
import type { Usage } from "../ports/agent.ts";
import { type Amount, openPurse, type Purse } from "./purse.ts";

/** A message on its way to a node. */
export interface Message {
  readonly from: string;
  readonly text: string;
}

/** A run's totals, counted from its log. */
export interface Ledger {
  readonly usage: Usage;
  /** Time in which something ran, in milliseconds; waiting for people does not count. */
  readonly activeMs: number;
  readonly iterations: number;
  /** How often each tag came back with an agent's answer or failure. */
  readonly tags: ReadonlyMap<string, number>;
  /** What calls of agents take, and what those under way are thought to take. */
  readonly purse: Omit<Purse, "settle">;
  /** Takes the messages that wait for any of these names, in the order they were sent. */
  takeMessages(names: readonly string[]): readonly Message[];
  /** Whether nobody has asked for these words in this run: what is said once need not be said again. */
  isNew(words: string): boolean;
}

/** The ledger as its session writes it. */
export interface OpenLedger extends Ledger {
  readonly purse: Purse;
  spend(usage: Usage | undefined, tag: string | undefined): void;
  countIteration(): void;
  post(to: string, message: Message): void;
  /** The messages that wait for any of these names. */
  waiting(names: readonly string[]): readonly Message[];
  /** Takes out one message that waits for any of these names; whether there was such a one. */
  takeOut(names: readonly string[], message: Message): boolean;
  /** The messages that nobody took. */
  undelivered(): readonly (Message & { readonly to: string })[];
  /** Notes that something happened at a time (ISO 8601); at rest, the time before it does not count. */
  tick(at: string, atRest: boolean): void;
}

export function openLedger(): OpenLedger {
  const usage = { input_tokens: 0, output_tokens: 0, cost_usd: 0 };
  const tags = new Map<string, number>();
  const known = new Set<string>();
  let letters: readonly (Message & { readonly to: string })[] = [];
  let activeMs = 0;
  let iterations = 0;
  let last: number | undefined;
  const waitingFor = (names: readonly string[]): readonly Message[] =>
    letters.flatMap(({ to, from, text }) => (names.includes(to) ? [{ from, text }] : []));
  return {
    usage,
    tags,
    purse: openPurse(),
    get activeMs() {
      return activeMs;
    },
    get iterations() {
      return iterations;
    },
    takeMessages(names) {
      const taken = waitingFor(names);
      if (taken.length > 0) letters = letters.filter(({ to }) => !names.includes(to));
      return taken;
    },
    isNew: (words) => known.size < known.add(words).size,
    spend(spent, tag) {
      usage.input_tokens += spent?.input_tokens ?? 0;
      usage.output_tokens += spent?.output_tokens ?? 0;
      usage.cost_usd += spent?.cost_usd ?? 0;
      if (tag !== undefined) tags.set(tag, (tags.get(tag) ?? 0) + 1);
    },
    countIteration() {
      iterations += 1;
    },
    post(to, { from, text }) {
      letters = [...letters, { from, text, to }];
    },
    waiting: waitingFor,
    takeOut(names, { from, text }) {
      const found = letters.find((it) => names.includes(it.to) && it.from === from && it.text === text);
      letters = letters.filter((it) => it !== found);
      return found !== undefined;
    },
    undelivered: () => letters,
    tick(at, atRest) {
      const now = Date.parse(at);
      if (last !== undefined && !atRest && now > last) activeMs += now - last;
      last = now;
    },
  };
}

/** What of a budget does not bind an agent whose answer took this, in words; `undefined` where all of it does. */
export function unbound({ usd, tokens }: Budget, usage: Usage | undefined): string | undefined {
  if (tokens !== undefined && usage === undefined)
    return `how many tokens its calls take, so the budget of ${tokens} tokens does not bind it`;
  const isFree = usage?.cost_usd === 0 && usage.input_tokens + usage.output_tokens === 0;
  if (usd !== undefined && !isFree && (usage?.cost_usd ?? 0) === 0)
    return `what its calls cost, so the budget of ${usd} USD does not bind it`;
  return undefined;
}

/** What of a budget is used up, in words; `undefined` while there is some left. */
export function overspent(budget: Budget, { usage, activeMs }: Ledger): string | undefined {
  const tokens = usage.input_tokens + usage.output_tokens;
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

/** Why the budget does not cover another call of a node, in words: what is spent, reserved and expected comes to more. */
export function overdrawn(budget: Budget, ledger: Ledger, { node, expected }: NextCall): string | undefined {
  const over = overspent(budget, ledger);
  if (over !== undefined) return over;
  const { usage, purse } = ledger;
  const reserved = purse.reserved();
  const spent = { usd: usage.cost_usd, tokens: usage.input_tokens + usage.output_tokens };
  const limits = [
    ["usd", (amount: number) => `${amount.toFixed(2)} USD`],
    ["tokens", (amount: number) => `${Math.round(amount)} tokens`],
  ] as const;
  for (const [unit, shown] of limits) {
    const limit = budget[unit];
    const bound = spent[unit] + reserved[unit];
    if (limit === undefined || (bound < limit - hair && bound + expected[unit] <= limit + hair)) continue;
    const parts = [
      `${shown(spent[unit])} spent`,
      ...(reserved[unit] > 0 ? [`${shown(reserved[unit])} reserved for calls under way`] : []),
      ...(expected[unit] > 0 ? [`about ${shown(expected[unit])} expected`] : []),
    ];
    return `the budget of ${limit} ${unit === "usd" ? "USD" : unit} does not cover another call of ${node} (${parts.join(", ")})`;
  }
  return undefined;
}

/** A call that has not begun, and what it is thought to take. */
export interface NextCall {
  readonly node: string;
  readonly expected: Amount;
}

/** Sums of cents are not exact. */
const hair = 1e-9;

/** The tighter of two budgets, limit by limit. */
export function tighter(one: Budget, other: Budget): Budget {
  const least = (key: keyof Budget) => {
    const limit = Math.min(one[key] ?? Infinity, other[key] ?? Infinity);
    return limit === Infinity ? {} : { [key]: limit };
  };
  return { ...least("usd"), ...least("tokens"), ...least("minutes") };
}
