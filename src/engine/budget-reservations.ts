import type { Budget } from "../plan/plan.ts";
import { budgetTokens, type Usage } from "../ports/agent.ts";

/** Money in USD and tokens, input plus output. */
export interface Amount {
  readonly usd: number;
  readonly tokens: number;
}

/**
 * Tracks what agent calls cost and are expected to cost, so that parallel calls cannot all spend the same remainder.
 */
export interface BudgetReservations {
  /** Expected cost of a node's next call: the mean of its last calls; `undefined` before the first. */
  expected(node: string): Amount;
  /**
   * Amount to reserve for one more parallel call of a node: the maximum of its last calls, else a share of the
   * budget.
   */
  share(node: string, budget: Budget): Amount;
  /** Total reserved for the calls in flight. */
  reserved(): Amount;
  /** Number of calls in flight. */
  callsInFlight(): number;
  /** Reserves an amount for a call of a node. */
  reserve(call: Reservation): void;
  /** Ends the call at a path: its real cost is known, its reservation is released. */
  settle(path: string, usage: Usage | undefined): void;
}

export interface Reservation {
  readonly path: string;
  readonly node: string;
  readonly amount: Amount;
}

/** How many past calls of a node predict its next one. */
const remembered = 3;

/** Default reservation for a node's first call. */
const defaultReservation: Amount = { usd: 0.01, tokens: 1_000 };

/** Maximum parallel calls under a budget while no call's cost is known. */
const maxUnpricedCalls = 4;

export function createBudgetReservations(): BudgetReservations {
  const past = new Map<string, readonly Amount[]>();
  const inFlight = new Map<string, { readonly node: string; readonly amount: Amount }>();
  const all: Amount[] = [];
  return {
    expected: (node) => mean(past.get(node) ?? []),
    share(node, budget) {
      const known = past.get(node) ?? all;
      return known.length === 0 ? firstShare(budget) : largest(known);
    },
    reserved: () => sum([...inFlight.values()].map(({ amount }) => amount)),
    callsInFlight: () => inFlight.size,
    reserve: ({ path, node, amount }) => void inFlight.set(path, { node, amount }),
    settle(path, usage) {
      const node = inFlight.get(path)?.node;
      inFlight.delete(path);
      if (node === undefined || usage === undefined) return;
      const amount = { usd: usage.cost_usd, tokens: budgetTokens(usage) };
      past.set(node, [...(past.get(node) ?? []), amount].slice(-remembered));
      all.push(amount);
      if (all.length > remembered) all.shift();
    },
  };
}

const firstShare = ({ usd = 0, tokens = 0 }: Budget): Amount => ({
  usd: Math.max(defaultReservation.usd, usd / maxUnpricedCalls),
  tokens: Math.max(defaultReservation.tokens, tokens / maxUnpricedCalls),
});

const largest = (amounts: readonly Amount[]): Amount => ({
  usd: Math.max(...amounts.map(({ usd }) => usd)),
  tokens: Math.max(...amounts.map(({ tokens }) => tokens)),
});

const sum = (amounts: readonly Amount[]): Amount => ({
  usd: amounts.reduce((total, { usd }) => total + usd, 0),
  tokens: amounts.reduce((total, { tokens }) => total + tokens, 0),
});

function mean(amounts: readonly Amount[]): Amount {
  const { usd, tokens } = sum(amounts);
  const count = Math.max(1, amounts.length);
  return { usd: usd / count, tokens: tokens / count };
}
