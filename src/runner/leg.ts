import type { RunEvent } from "../engine/event.ts";
import type { Session } from "../engine/session.ts";
import type { OpenRun } from "./log.ts";
import { type Driven, mend, record, reopen } from "./record.ts";
import { openUnderWay } from "./under-way.ts";
import type { World } from "./world.ts";

/** One process's stretch of a run: what is under way, what came of it, what is on record. */
export interface Leg {
  readonly session: Session;
  readonly busy: boolean;
  /** Puts facts on record, tells what follows from them and begins the needs they open. */
  record(facts: readonly RunEvent[]): Promise<void>;
  /** Stops all that is under way and rests, unless others wrote first: then the run may have to go on. */
  pause(stop_reason: Paused["stop_reason"]): Promise<void>;
  /** Reads what others have put on record. */
  look(): Promise<void>;
  /** The facts that have arrived, waiting for the first; none when woken without any. */
  next(): Promise<readonly RunEvent[]>;
  wake(): void;
  /** Stops all that is under way, and waits until it has stopped. */
  abandon(): Promise<void>;
}

type Paused = Extract<RunEvent, { type: "run.paused" }>;

interface LegOptions {
  readonly artifacts: string;
  /** The number of the last event that was told before. */
  readonly told: number;
}

export function startLeg(run: OpenRun, world: World, { artifacts, told }: LegOptions): Leg {
  const runId = run.session.facts.run;
  const underWay = openUnderWay(world, artifacts);
  const driven: Driven = { world, runId, artifacts, underWay, run, told };
  return {
    get session() {
      return driven.run.session;
    },
    get busy() {
      return underWay.busy;
    },
    record: (facts) => record(driven, facts),
    async pause(stop_reason) {
      const late = await underWay.stop();
      await record(driven, [...late, { type: "run.paused", at: world.clock.now(), stop_reason }]);
    },
    async look() {
      try {
        if ((await world.store.read(runId, driven.run.lines)).length === 0) return;
      } catch (error) {
        return await mend(driven, error, []);
      }
      await reopen(driven);
      await record(driven, []);
    },
    next: underWay.next,
    wake: underWay.wake,
    abandon: async () => void (await underWay.stop()),
  };
}
