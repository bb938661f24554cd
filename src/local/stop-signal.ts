import { interruption, longestTimer } from "../ports/clock.ts";

/** When a run must pause: its time is up, or this process received a signal. */
export interface StopSignal {
  readonly signal: AbortSignal;
  /** True for a signal, false for the time limit. */
  readonly requested: boolean;
  /** Drops the time limit. Signals are still handled, so that work in flight can finish. */
  disarm(): void;
  /** Stops listening: the next signal ends the process immediately. */
  leave(): void;
}

const end = new AbortController();

/** Fires five seconds after a signal: a cancelled job is killed after ten. */
export const endSignal: AbortSignal = end.signal;

/** `insisted` is called for each signal after the first. */
export function listenForStop(
  minutes: number | undefined,
  insisted: (signal: NodeJS.Signals) => void = () => undefined,
): StopSignal {
  const stop = new AbortController();
  const ms = minutes === undefined ? undefined : Math.min(minutes * 60_000, longestTimer);
  const timer = ms === undefined ? undefined : setTimeout(() => stop.abort(), ms);
  let isAsked = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (isAsked) insisted(signal);
    else setTimeout(() => end.abort(), 5_000).unref();
    isAsked = true;
    stop.abort(interruption);
  };
  for (const name of asking) process.on(name, onSignal);
  return {
    signal: stop.signal,
    get requested() {
      return isAsked;
    },
    disarm: () => clearTimeout(timer),
    leave() {
      for (const name of asking) process.off(name, onSignal);
    },
  };
}

/** Ctrl-C, an orderly shutdown, and a closed terminal. */
const asking = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
