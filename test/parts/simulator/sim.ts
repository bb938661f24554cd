import { randomOf } from "../random.ts";

/** Virtual time and randomness of one history: the same seed gives the same history. */
export interface Sim {
  /** Milliseconds since the start of the history. */
  now(): number;
  /** A random number from 0 to below 1. */
  random(): number;
  chance(probability: number): boolean;
  between(least: number, most: number): number;
  pick<T>(items: readonly T[]): T;
  /** Calls `ring` after `ms` unless cancelled. */
  after(ms: number, ring: () => void): () => void;
  /** Advances time until `done`, for at most `ms`, or until more events happened than in any sound history. */
  run(done: () => boolean, ms: number): Promise<void>;
}

/** A sound history has some hundred events. */
const mostRings = 20_000;

interface Ring {
  readonly at: number;
  readonly number: number;
  readonly ring: () => void;
}

export function openSim(seed: number): Sim {
  let time = 0;
  let count = 0;
  let rung = 0;
  const rings = new Set<Ring>();
  const random = randomOf(seed);
  const next = () => {
    let first: Ring | undefined;
    for (const one of rings)
      if (first === undefined || one.at < first.at || (one.at === first.at && one.number < first.number))
        first = one;
    return first;
  };
  return {
    now: () => time,
    random,
    chance: (probability) => random() < probability,
    between: (least, most) => least + Math.floor(random() * (most - least + 1)),
    pick: (items) => items[Math.floor(random() * items.length)] as never,
    after(ms, ring) {
      count += 1;
      const one = { at: time + Math.max(0, ms), number: count, ring };
      rings.add(one);
      return () => void rings.delete(one);
    },
    async run(done, ms) {
      const end = time + ms;
      for (;;) {
        // Runs everything that follows from the last event: nothing here waits for real time.
        await new Promise(setImmediate);
        if (done()) return;
        const one = next();
        if (one === undefined || one.at > end || rung === mostRings) return;
        rung += 1;
        rings.delete(one);
        time = one.at;
        one.ring();
      }
    },
  };
}

/** A number that depends only on a text. */
export function roll(text: string): number {
  let value = 2_166_136_261;
  for (const letter of text) value = Math.imul(value ^ (letter.codePointAt(0) ?? 0), 16_777_619) >>> 0;
  return (value ^ (value >>> 15)) >>> 0;
}
