import { env } from "node:process";
import fc from "fast-check";

/**
 * The seed of everything random in tests. It stays the same from change to change, so that no change is refused by
 * chance; `.ci/run nightly` takes another one each time and prints it.
 */
export const seed = Number(env["UNTIL_GREEN_SEED"] ?? 1);

fc.configureGlobal({ seed });

export { fc };

/** Pseudo-random numbers from 0 to 1 for a seed. */
export function randomOf(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  };
}
