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
  /** Reads what others have put on record. */
  look(): Promise<void>;
  /** The facts that have arrived, waiting for the first; none when woken without any. */
  next(): Promise<readonly RunEvent[]>;
  wake(): void;
  /** Stops all that is under way, and waits until it has stopped. */
  abandon(): Promise<void>;
}

export function startLeg(run: OpenRun, world: World, artifacts: string): Leg {
  const runId = run.session.facts.run;
  const underWay = openUnderWay(world, artifacts);
  const driven: Driven = { world, runId, artifacts, underWay, run, told: 0 };
  return {
    get session() {
      return driven.run.session;
    },
    get busy() {
      return underWay.busy;
    },
    async record(facts) {
      for (const fact of facts) driven.run.session.feed(fact);
      await record(driven, facts);
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
    abandon: () => underWay.prune(new Map()),
  };
}
