import { isPassing, type ProviderError } from "../../key-proxy/provider-errors.ts";

/** Number of model failures in a row after which a program is stopped: the run waits, then continues the turn. */
const mostTries = 3;

/** A program waits no longer than this by itself: the run reports that it waits, and can pause meanwhile. */
const longestOwnWaitMs = 60_000;

/** True if a program must not try again by itself: the budget is spent, a setting is wrong, or it has tried enough. */
export const isTooMuch = (error: ProviderError, inARow: number): boolean =>
  error.fault === "timeout" ||
  error.isSetting === true ||
  ((isPassing(error) || error.isRefusal === true) &&
    ((error.retryAfterMs ?? 0) > longestOwnWaitMs || inARow >= mostTries));
