import { type RunEvent, readEvent } from "../engine/event.ts";
import type { Session } from "../engine/session.ts";
import type { ToldEvent } from "../engine/told.ts";
import { StaleLogError } from "../ports/store.ts";
import { closingOf, describe, type OpenRun, openRun, writeEvent } from "./log.ts";
import type { UnderWay } from "./under-way.ts";
import type { World } from "./world.ts";

/** Another runner took the run over: this one stops, records nothing more and says nothing more. */
export class LostRunError extends Error {
  override readonly name = "LostRunError";
}

/** A run as one process drives it. */
export interface Driven {
  readonly world: World;
  readonly runId: string;
  readonly artifacts: string;
  readonly underWay: UnderWay;
  run: OpenRun;
  /** How many events were told. */
  told: number;
}

/** Puts facts on record, tells what follows from them and begins the needs they open. */
export async function record(driven: Driven, facts: readonly RunEvent[]): Promise<void> {
  const { session } = driven.run;
  await write(
    driven,
    feedEach(facts, session.feed, () => !session.ended),
  );
}

/** After a `StaleLogError`: others wrote first. Takes the run as it stands on record and adds what is still news. */
export async function mend(driven: Driven, error: unknown, facts: readonly RunEvent[]): Promise<void> {
  if (!(error instanceof StaleLogError)) throw error;
  await reopen(driven);
  const undone = new Set(error.undone);
  // What was appended and undone may hold the facts themselves.
  const again = [...error.undone.map(readEvent), ...facts.filter((fact) => !undone.has(writeEvent(fact)))];
  const { session } = driven.run;
  await write(
    driven,
    feedEach(again, session.feed, (fact) => isNews(session, fact)),
  );
}

/** Feeds the facts of which this holds when their turn comes; those that were taken in. */
function feedEach(
  facts: readonly RunEvent[],
  feed: Session["feed"],
  holds: (fact: RunEvent) => boolean,
): readonly RunEvent[] {
  return facts.filter((fact) => {
    const isTaken = holds(fact);
    if (isTaken) feed(fact);
    return isTaken;
  });
}

/** Puts facts that the session has been fed on record, with what they begin and end. */
async function write(driven: Driven, facts: readonly RunEvent[]): Promise<void> {
  const { run, underWay, world } = driven;
  const { session } = run;
  const now = () => world.clock.now();
  const begun = session.resting ? [] : beginOpen(session, now);
  const events = [...facts, ...begun, ...closingOf(session, now())];
  const news = session.take().filter(({ seq }) => seq > driven.told);
  try {
    await append(driven, events, news);
  } catch (error) {
    return await mend(driven, error, facts);
  }
  run.lines += events.length;
  tell(driven, news);
  await underWay.prune(session.needs);
  if (session.resting) return;
  const fresh = [...session.needs.values()].filter(
    ({ port, path }) => port !== "human" && !underWay.has(path),
  );
  // What an agent did before this one is not to be done again if this machine is lost meanwhile.
  if (fresh.some(({ port }) => port === "agent")) await world.store.settle?.(driven.runId);
  for (const need of fresh) underWay.start(need, () => driven.run.session);
}

/** Takes the run as it stands on record now; throws `LostRunError` if another drives it since. */
export async function reopen(driven: Driven): Promise<void> {
  const { world, runId, artifacts } = driven;
  const now = await openRun(world.store, runId, artifacts);
  const others = ({ trail }: OpenRun) => trail.drivers.filter((driver) => driver !== world.owner);
  if (others(now).length > others(driven.run).length)
    throw new LostRunError(`the run was taken over by ${others(now).at(-1)}: follow it there`);
  driven.run = now;
}

async function append(
  { world, run, runId }: Driven,
  events: readonly RunEvent[],
  news: readonly ToldEvent[],
): Promise<void> {
  const { store } = world;
  if (events.length === 0) return;
  for (const event of events) {
    const commit = run.trail.take(event);
    if (commit !== undefined) store.work?.keep(runId, commit);
  }
  describe(world, run.session, { events: news, work: run.trail.commit });
  await store.append(runId, run.lines, events.map(writeEvent));
  // A claim, a pause and an end hold only where everybody can see them.
  if (events.some(({ type }) => type.startsWith("run."))) await store.flush?.(runId);
}

/** A reopened session tells its story from the start; what was told stays told. */
function tell(driven: Driven, news: readonly ToldEvent[]): void {
  for (const event of news) {
    driven.world.tell(event);
    driven.told = Math.max(driven.told, event.seq);
  }
}

/** Whether a fact still says something new of a run that others have moved on. */
function isNews(session: Session, fact: RunEvent): boolean {
  if (session.ended || fact.type === "run.ended") return false;
  if ("path" in fact) return session.needs.has(fact.path);
  const gate = fact.type === "run.paused" && fact.stop_reason === "gate";
  // A decision came before the pause: there is something to do.
  return !(gate && [...session.needs.values()].some(({ port }) => port !== "human"));
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
