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
  /** What is set aside for the calls under way. */
  reserved(): Amount;
  /** Sets aside what a call of a node will likely take. */
  reserve(path: string, node: string): void;
  /** The call at a path is over: what it took is known, and no longer set aside. */
  settle(path: string, usage: Usage | undefined): void;
}

/** How many calls of a node tell what the next will take. */
const remembered = 3;

/** Set aside for a call of which nothing is known yet: less than most take, but not nothing. */
const floor: Amount = { usd: 0.01, tokens: 1_000 };

export function openPurse(): Purse {
  const past = new Map<string, readonly Amount[]>();
  const underWay = new Map<string, { readonly node: string; readonly amount: Amount }>();
  const all: Amount[] = [];
  return {
    expected: (node) => mean(past.get(node) ?? []),
    reserved: () => sum([...underWay.values()].map(({ amount }) => amount)),
    reserve(path, node) {
      const own = past.get(node);
      const known = own ?? all;
      underWay.set(path, { node, amount: known.length === 0 ? floor : mean(known) });
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

const sum = (amounts: readonly Amount[]): Amount => ({
  usd: amounts.reduce((total, { usd }) => total + usd, 0),
  tokens: amounts.reduce((total, { tokens }) => total + tokens, 0),
});

function mean(amounts: readonly Amount[]): Amount {
  const { usd, tokens } = sum(amounts);
  const count = Math.max(1, amounts.length);
  return { usd: usd / count, tokens: tokens / count };
}
