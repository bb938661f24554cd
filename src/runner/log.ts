import { advance, EmptyLogError } from "../engine/advance.ts";
import { type RunEvent, type RunStarted, readEvent } from "../engine/event.ts";
import { type Session, startSession } from "../engine/session.ts";
import { loadNeeded } from "../plan/needed.ts";
import { itemOf } from "../ports/item.ts";
import { type LogStore, StaleLogError } from "../ports/store.ts";
import { relocate } from "./arrive.ts";
import { openTrail, type Trail } from "./trail.ts";
import type { Books, Upcoming } from "./world.ts";

/** A run as it stands in a store: its session, and how many lines of its log that session has been fed. */
export interface OpenRun {
  readonly session: Session;
  readonly trail: Trail;
  lines: number;
}

/** Reads the events of a run, oldest first; throws `EmptyLogError` for a run never begun. */
async function readRun(store: LogStore, runId: string): Promise<readonly RunEvent[]> {
  const lines = await store.read(runId);
  if (lines.length === 0) throw new EmptyLogError(await whyEmpty(store, runId));
  return lines.map(readEvent);
}

async function whyEmpty(store: LogStore, runId: string): Promise<string> {
  const none = `there is no run ${runId} here`;
  const items = itemOf(runId) === undefined ? await itemsOf(store, runId) : [];
  if (items.length === 0) return none;
  const more = items.length > mostNamed ? ` and ${items.length - mostNamed} more` : "";
  return `${none}; each of its items is a run of its own: ${items.slice(0, mostNamed).join(", ")}${more}`;
}

const mostNamed = 10;

/** The runs of a run's items, in order: one that is spread over jobs has no log of its own, each of its items has. */
export async function itemsOf(store: LogStore, runId: string): Promise<readonly string[]> {
  const items = (await store.list()).flatMap((id) => {
    const item = itemOf(id);
    return item?.of === runId ? [{ id, number: item.number }] : [];
  });
  return items.toSorted((a, b) => a.number - b.number).map(({ id }) => id);
}

/** Reads a run and feeds its whole log to a new session; `artifacts` is where its folder lies on this machine. */
export async function openRun(store: LogStore, runId: string, artifacts?: string): Promise<OpenRun> {
  const events = await readRun(store, runId);
  for (const event of events) if (event.type === "run.started") await loadNeeded(event.plan);
  const session = advance(artifacts === undefined ? events : relocate(events, artifacts));
  return { session, trail: openTrail(events), lines: events.length };
}

/** The id of a new run is taken. */
export class TakenRunError extends Error {
  override readonly name = "TakenRunError";
}

/** Writes the first line of a run. */
export async function beginRun(books: Books, started: RunStarted): Promise<OpenRun> {
  const { store } = books;
  const { run } = started.facts;
  await loadNeeded(started.plan);
  if (books.standing !== undefined) {
    const session = startSession(started);
    describe(books, session, { events: session.take(), work: undefined });
  }
  try {
    await store.append(run, 0, [writeEvent(started)]);
    await store.flush?.(run);
  } catch (error) {
    if (!(error instanceof StaleLogError)) throw error;
    throw new TakenRunError(`there is a run ${run} already: resume it, or choose another id`);
  }
  return { session: startSession(started), trail: openTrail([started]), lines: 1 };
}

/** Says to a store whose logs travel where the run stands, as of the lines appended next. */
export function describe({ store, standing }: Books, session: Session, upcoming: Upcoming): void {
  if (store.describe === undefined || standing === undefined) return;
  store.describe(session.facts.run, standing(session, upcoming));
}

/** The line that closes the log of a run that has ended; none where it stands there already. */
export function closingOf(session: Session, at: string): readonly RunEvent[] {
  if (session.end === undefined || session.closed) return [];
  const event = { ...session.end, at };
  session.feed(event);
  return [event];
}

export const writeEvent = (event: RunEvent): string => JSON.stringify(event);
