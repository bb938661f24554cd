import { openRateLimit } from "./rate-limit.ts";
import { openShortCache } from "./short-cache.ts";

/** Thrown instead of a look-up beyond the limit. */
export class TooManyLookUps extends Error {}

/** Looks something up by name; names of one group share the limits. */
export type LookUps<T> = (
  name: string,
  group: string,
  find: () => Promise<T | undefined>,
) => Promise<T | undefined>;

export interface LookUpLimits {
  /** How long an answer holds, in milliseconds. */
  readonly forMs: number;
  /** Look-ups per minute of names that were never found: anybody can invent those. */
  readonly mostUnknown: number;
  /** Look-ups per minute of names that were found; beyond them, the last answer is given again. */
  readonly mostKnown: number;
}

/** Opens look-ups that cost a limited number of requests, whatever is asked for, and however often. */
export function openLookUps<T>({ forMs, mostUnknown, mostKnown }: LookUpLimits): LookUps<T> {
  const recent = openShortCache<T | undefined>(forMs);
  const found = new Map<string, T>();
  const mayFind = openRateLimit({ most: mostUnknown, withinMs });
  const mayRefresh = openRateLimit({ most: mostKnown, withinMs });
  return (name, group, find) =>
    recent(name, async () => {
      const last = found.get(name);
      if (last !== undefined && !mayRefresh(group)) return last;
      if (last === undefined && !mayFind(group)) throw new TooManyLookUps();
      const value = await find();
      found.delete(name);
      if (value !== undefined) found.set(name, value);
      if (found.size > mostFound) found.delete(found.keys().next().value ?? "");
      return value;
    });
}

const withinMs = 60_000;
const mostFound = 1_000;
