import { setTimeout as wait } from "node:timers/promises";
import type { Clock } from "../ports/clock.ts";

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => new Date().toISOString(),
  async sleep(ms, signal) {
    try {
      for (let left = ms; left > 0; left -= longestTimer) {
        await wait(Math.min(left, longestTimer), undefined, { signal });
      }
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    }
    signal.throwIfAborted();
  },
};

/** Node fires a longer timer at once. */
const longestTimer = 2 ** 31 - 1;
