import type { RunEvent } from "../engine/run-events.ts";
import type { Environment } from "../processes/environment.ts";

/** One process's part of a run's trace. */
export interface RunTrace {
  /** Reads the events of earlier processes, which have already sent their spans. */
  recall(events: readonly RunEvent[]): void;
  emit(event: RunEvent): void;
  /** Sends the remaining spans. Never rejects, and gives up after some seconds. */
  end(): Promise<void>;
}

export interface TraceOptions {
  /** Must contain the standard variables, `OTEL_…`. */
  readonly environment: Environment;
  /** Removes known secrets. */
  clean(text: string): string;
  notice(text: string): void;
}
