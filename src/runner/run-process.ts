import type { LogEvent } from "../engine/log-events.ts";
import type { RunSession } from "../engine/session.ts";
import { appendEvents, type DrivenRun, rebaseAfterConflict, reloadRun } from "./append-events.ts";
import { createInFlightEffects } from "./in-flight.ts";
import type { OpenRun } from "./open-run.ts";
import type { Postponed } from "./retry-effect.ts";
import type { RunEnvironment } from "./run-environment.ts";

/** One process's part of a run: effects in flight, their results, the log. */
export interface RunProcess {
  readonly session: RunSession;
  readonly busy: boolean;
  /** Appends events, emits the run events that follow, and starts the effects they open. */
  record(events: readonly LogEvent[]): Promise<void>;
  /** Stops everything in flight and pauses the run, unless others wrote first: then there may be more to do. */
  pause(why: Pick<Paused, "stop_reason" | "wake_at">): Promise<void>;
  /** The effect that waits for another process. */
  readonly postponed: Postponed | undefined;
  /** Reads what others have appended. */
  look(): Promise<void>;
  /** Returns the events that have arrived, or waits for the first one; empty after a wake-up. */
  next(): Promise<readonly LogEvent[]>;
  wake(): void;
  /** Stops everything in flight, and waits until it has stopped. */
  abandon(): Promise<void>;
}

type Paused = Extract<LogEvent, { type: "run.paused" }>;

interface ProcessOptions {
  readonly artifacts: string;
  /** The number of the last event emitted by earlier processes. */
  readonly emitted: number;
  /** How long an effect is retried while a provider has errors, in milliseconds. */
  readonly patienceMs: number;
}

export function startRunProcess(
  run: OpenRun,
  environment: RunEnvironment,
  { artifacts, emitted, patienceMs }: ProcessOptions,
): RunProcess {
  const runId = run.session.facts.run;
  const inFlight = createInFlightEffects(environment, { artifacts, patienceMs });
  const driven: DrivenRun = { environment, runId, artifacts, inFlight, run, emitted };
  return {
    get session() {
      return driven.run.session;
    },
    get busy() {
      return inFlight.busy;
    },
    get postponed() {
      return inFlight.postponed;
    },
    record: (events) => appendEvents(driven, events),
    async pause(why) {
      const late = await inFlight.stop();
      await appendEvents(driven, [...late, { type: "run.paused", at: environment.clock.now(), ...why }]);
    },
    async look() {
      try {
        if ((await environment.store.read(runId, driven.run.lines)).length === 0) return;
      } catch (error) {
        return await rebaseAfterConflict(driven, error, []);
      }
      await reloadRun(driven);
      await appendEvents(driven, []);
    },
    next: inFlight.next,
    wake: inFlight.wake,
    abandon: async () => void (await inFlight.stop()),
  };
}
