/** Says when a run must rest: the time is up, or somebody has asked this process to stop. */
export interface StopSignal {
  readonly signal: AbortSignal;
  /** Whether somebody asked, and not the clock. */
  readonly asked: boolean;
  /** Forgets the time limit; who asks to stop is still heard, so that what is under way can be finished. */
  disarm(): void;
  /** Hears nobody any more: the next request ends the process at once. */
  leave(): void;
}

/** `insisted` hears each request after the first. */
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
    isAsked = true;
    stop.abort();
  };
  for (const name of asking) process.on(name, onSignal);
  return {
    signal: stop.signal,
    get asked() {
      return isAsked;
    },
    disarm: () => clearTimeout(timer),
    leave() {
      for (const name of asking) process.off(name, onSignal);
    },
  };
}

/** Ctrl-C, an orderly end, and a terminal that was closed. */
const asking = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Node fires a longer timer at once. */
const longestTimer = 2 ** 31 - 1;
