import { advance } from "../engine/advance.ts";
import type { RunEvent } from "../engine/event.ts";
import type { Need } from "../engine/flow.ts";
import type { Session } from "../engine/session.ts";
import { StaleLogError } from "../ports/store.ts";
import { type OpenRun, readRun, writeEvent } from "./log.ts";
import { openUnderWay } from "./under-way.ts";
import type { World } from "./world.ts";

/** Another runner took the run over: this one stops, records nothing more and says nothing more. */
export class LostRunError extends Error {
  override readonly name = "LostRunError";
}

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

export function startLeg(opened: OpenRun, world: World, artifacts: string): Leg {
  const { store, clock } = world;
  const runId = opened.session.facts.run;
  const underWay = openUnderWay(world, artifacts);
  let run = opened;
  let told = 0;

  // A reopened session tells its story from the start; what was told stays told.
  const tell = () => {
    for (const event of run.session.take()) {
      if (event.seq > told) world.tell(event);
      told = Math.max(told, event.seq);
    }
  };

  const record = async (facts: readonly RunEvent[]): Promise<void> => {
    const { session } = run;
    for (const fact of facts) session.feed(fact);
    const begun = beginOpen(session, () => clock.now());
    const lines = [...facts, ...begun, ...endOf(session, clock.now())].map(writeEvent);
    try {
      if (lines.length > 0) await store.append(runId, run.lines, lines);
    } catch (error) {
      if (!(error instanceof StaleLogError)) throw error;
      // Others wrote first: take the run as it stands on record and add what is still news.
      await reopen();
      return await record(facts.filter((fact) => !("path" in fact) || run.session.needs.has(fact.path)));
    }
    run.lines += lines.length;
    tell();
    await underWay.prune(session.needs);
    for (const { path } of begun) underWay.start(session.needs.get(path) as Need, session);
  };

  const reopen = async () => {
    const events = await readRun(store, runId);
    for (const event of events.slice(run.lines)) {
      if (event.type !== "run.resumed" || event.by === world.owner) continue;
      throw new LostRunError(`the run was taken over by ${event.by}`);
    }
    run = { session: advance(events), lines: events.length };
  };

  return {
    get session() {
      return run.session;
    },
    get busy() {
      return underWay.busy;
    },
    record,
    async look() {
      if ((await store.read(runId, run.lines)).length === 0) return;
      await reopen();
      await record([]);
    },
    next: underWay.next,
    wake: underWay.wake,
    abandon: () => underWay.prune(new Map()),
  };
}

/** The line that closes the log of a run that has ended. */
const endOf = ({ end }: Session, at: string): readonly RunEvent[] =>
  end === undefined ? [] : [{ ...end, at }];

/** Claims every open need that a machine can meet, before anything is done about it. */
function beginOpen(session: Session, now: () => string) {
  const open = [...session.needs.values()].filter(
    ({ path, port }) => port !== "human" && !session.begun(path),
  );
  const begun = open.map(({ path }) => ({ type: "need.begun", at: now(), path }) as const);
  for (const event of begun) session.feed(event);
  return begun;
}
