/** The time, injected so that tests control it. */
export interface Clock {
  /** Now, in ISO 8601. */
  now(): string;
  /** Resolves after `ms` milliseconds, or rejects with the signal's reason. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Calls `ring` every `ms` until the returned function is called; does not keep the process alive. */
  every(ms: number, ring: () => void): () => void;
}

/** The reason with which a run's time limit fires for a signal, such as Ctrl-C, and not because its time is up. */
export const interruption = "interrupted";

/** Maximum of a timer in milliseconds: Node fires a longer one immediately. */
export const longestTimer = 2 ** 31 - 1;
