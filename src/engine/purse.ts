import type { Budget } from "../plan/plan.ts";
import type { Usage } from "../ports/agent.ts";

/** Money and tokens, in and out together. */
export interface Amount {
  readonly usd: number;
  readonly tokens: number;
}

/** What the calls of agents took and are thought to take: so that calls side by side cannot all spend the same rest. */
export interface Purse {
  /** What another call of a node will likely take: the mean of its last ones; nothing where there was none. */
  expected(node: string): Amount;
  /** What one more call of a node beside others may take: the most that one of the last took; a share where none did. */
  share(node: string, budget: Budget): Amount;
  /** What is set aside for the calls under way. */
  reserved(): Amount;
  /** How many calls are under way. */
  underWay(): number;
  /** Sets aside an amount for a call of a node; what a call will likely take, unless told. */
  reserve(call: Reservation): void;
  /** The call at a path is over: what it took is known, and no longer set aside. */
  settle(path: string, usage: Usage | undefined): void;
}

export interface Reservation {
  readonly path: string;
  readonly node: string;
  readonly amount?: Amount | undefined;
}

/** How many calls of a node tell what the next will take. */
const remembered = 3;

/** Set aside for a call of which nothing is known yet: less than most take, but not nothing. */
const floor: Amount = { usd: 0.01, tokens: 1_000 };

/** How many calls may go side by side under a budget while nothing is known of what one takes. */
const firsts = 4;

export function openPurse(): Purse {
  const past = new Map<string, readonly Amount[]>();
  const underWay = new Map<string, { readonly node: string; readonly amount: Amount }>();
  const all: Amount[] = [];
  return {
    expected: (node) => mean(past.get(node) ?? []),
    share(node, budget) {
      const known = past.get(node) ?? all;
      return known.length === 0 ? firstShare(budget) : largest(known);
    },
    reserved: () => sum([...underWay.values()].map(({ amount }) => amount)),
    underWay: () => underWay.size,
    reserve({ path, node, amount }) {
      const known = past.get(node) ?? all;
      underWay.set(path, { node, amount: amount ?? (known.length === 0 ? floor : mean(known)) });
    },
    settle(path, usage) {
      const node = underWay.get(path)?.node;
      underWay.delete(path);
      if (node === undefined || usage === undefined) return;
      const amount = { usd: usage.cost_usd, tokens: usage.input_tokens + usage.output_tokens };
      past.set(node, [...(past.get(node) ?? []), amount].slice(-remembered));
      all.push(amount);
      if (all.length > remembered) all.shift();
    },
  };
}

const firstShare = ({ usd = 0, tokens = 0 }: Budget): Amount => ({
  usd: Math.max(floor.usd, usd / firsts),
  tokens: Math.max(floor.tokens, tokens / firsts),
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
