import type { RunEvent } from "../engine/run-events.ts";
import type { Environment } from "../processes/environment.ts";

/** A run's trace, as one process sends its part of it. */
export interface RunTrace {
  /** Takes the events of earlier processes, whose spans those have sent. */
  recall(events: readonly RunEvent[]): void;
  emit(event: RunEvent): void;
  /** Sends the remaining spans. Never rejects, and gives up after some seconds. */
  end(): Promise<void>;
}

export interface TraceOptions {
  /** With the standard variables, `OTEL_…`. */
  readonly environment: Environment;
  /** Without known secrets. */
  clean(text: string): string;
  notice(text: string): void;
}
