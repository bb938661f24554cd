import { advance } from "../engine/advance.ts";
import type { RunEvent } from "../engine/event.ts";
import type { Need } from "../engine/flow.ts";
import type { Session } from "../engine/session.ts";
import { StaleLogError } from "../ports/store.ts";
import { closingOf, type OpenRun, readRun, writeEvent } from "./log.ts";
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

export function startLeg(opened: OpenRun, world: World, { artifacts, told: before }: LegOptions): Leg {
  const { store, clock } = world;
  const runId = opened.session.facts.run;
  const underWay = openUnderWay(world, artifacts);
  let run = opened;
  let told = before;

  // A reopened session tells its story from the start; what was told stays told.
  const tell = () => {
    for (const event of run.session.take()) {
      if (event.seq > told) world.tell(event);
      told = Math.max(told, event.seq);
    }
  };

  const record = async (facts: readonly RunEvent[]): Promise<void> => {
    const { session } = run;
    const taken = feedAll(session, facts);
    const begun = session.resting ? [] : beginOpen(session, () => clock.now());
    const lines = [...taken, ...begun, ...closingOf(session, clock.now())].map(writeEvent);
    try {
      if (lines.length > 0) await store.append(runId, run.lines, lines);
    } catch (error) {
      if (!(error instanceof StaleLogError)) throw error;
      // Others wrote first: take the run as it stands on record and add what is still news.
      await reopen();
      return await record(facts.filter((fact) => isNews(fact, run.session)));
    }
    run.lines += lines.length;
    tell();
    await underWay.prune(session.needs);
    for (const { path } of begun) underWay.start(session.needs.get(path) as Need, session);
  };

  const reopen = async () => {
    const events = await readRun(store, runId);
    refuseLost(events.slice(run.lines), world.owner);
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
    async pause(stop_reason) {
      const late = await underWay.stop();
      await record([...late, { type: "run.paused", at: clock.now(), stop_reason }]);
    },
    async look() {
      if ((await store.read(runId, run.lines)).length === 0) return;
      await reopen();
      await record([]);
    },
    next: underWay.next,
    wake: underWay.wake,
    abandon: async () => void (await underWay.stop()),
  };
}

function refuseLost(others: readonly RunEvent[], owner: string): void {
  for (const event of others) {
    if (event.type !== "run.resumed" || event.by === owner) continue;
    throw new LostRunError(`the run was taken over by ${event.by}: follow it there`);
  }
}

/** Feeds facts until one of them ends the run; those that were taken in. */
function feedAll(session: Session, facts: readonly RunEvent[]): readonly RunEvent[] {
  const taken: RunEvent[] = [];
  for (const fact of facts) {
    if (session.ended) break;
    session.feed(fact);
    taken.push(fact);
  }
  return taken;
}

/** Whether a fact still says something new: not a pause, which what others wrote may have made wrong. */
function isNews(fact: RunEvent, { needs }: Session): boolean {
  return "path" in fact ? needs.has(fact.path) : fact.type !== "run.paused";
}

/** Claims every open need that a machine can meet, before anything is done about it. */
function beginOpen(session: Session, now: () => string) {
  const open = [...session.needs.values()].filter(
    ({ path, port }) => port !== "human" && !session.begun(path),
  );
  const begun = open.map(({ path }) => ({ type: "need.begun", at: now(), path }) as const);
  for (const event of begun) session.feed(event);
  return begun;
}
