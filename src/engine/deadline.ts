import { type Flow, ledger } from "./flow.ts";
import type { Here } from "./here.ts";
import { type Failed, failed } from "./outcome.ts";

/** The place with so many milliseconds from now for all that happens in it, or fewer where less is left around it. */
export function* within(here: Here, ms: number | undefined): Flow<Here> {
  if (ms === undefined) return here;
  const { activeMs } = yield* ledger();
  return { ...here, deadline: Math.min(here.deadline ?? Infinity, activeMs + ms) };
}

/** How many milliseconds are left here; infinitely many where nothing limits them. */
export function* timeLeft({ deadline }: Here): Flow<number> {
  return deadline === undefined ? Infinity : Math.max(0, deadline - (yield* ledger()).activeMs);
}

/** The failure of what has no time left. */
export function* outOfTime(here: Here, output: string): Flow<Failed | undefined> {
  return (yield* timeLeft(here)) === 0 ? failed("timeout", timeIsUp, output) : undefined;
}

/** Why nothing more is begun. */
export const timeIsUp = "the time limit around it has passed";
