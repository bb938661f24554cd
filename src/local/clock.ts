import { setTimeout as wait } from "node:timers/promises";
import { type Clock, longestTimer } from "../ports/clock.ts";

/**
 * The system clock, read once; after that, time passes by the monotonic clock. So recorded times are consistent even
 * if the clock is set or the machine is suspended.
 */
export const systemClock: Clock = {
  now() {
    const ms = Math.floor(performance.timeOrigin + performance.now());
    if (ms !== lastMs) [lastMs, lastText] = [ms, new Date(ms).toISOString()];
    return lastText;
  },
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
  every(ms, ring) {
    const timer = setInterval(ring, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
};

/** Each iteration asks for the time about ten times, mostly within the same millisecond. */
let lastMs = Number.NaN;
let lastText = "";
