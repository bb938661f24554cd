/** The time, handed in so that tests turn it by hand. */
export interface Clock {
  /** Now, in ISO 8601. */
  now(): string;
  /** Resolves after `ms` milliseconds, or rejects with the signal's reason. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}
