import { EmptyLogError } from "../engine/advance.ts";
import { type RunEvent, type RunStarted, readEvent } from "../engine/event.ts";
import { type Session, startSession } from "../engine/session.ts";
import type { LogStore } from "../ports/store.ts";

/** A run as it stands in a store: its session, and how many lines of its log that session has been fed. */
export interface OpenRun {
  readonly session: Session;
  lines: number;
}

/** Reads a run and feeds its whole log to a new session; throws `EmptyLogError` for a run never begun. */
export async function openRun(
  store: LogStore,
  runId: string,
  onEvent: (event: RunEvent, line: number) => void = () => {},
): Promise<OpenRun> {
  const lines = await store.read(runId);
  let session: Session | undefined;
  for (const [index, line] of lines.entries()) {
    const event = readEvent(line);
    onEvent(event, index + 1);
    if (session !== undefined) session.feed(event);
    else if (event.type === "run.started") session = startSession(event);
    else throw new EmptyLogError(`the log of ${runId} does not begin with run.started`);
  }
  if (session === undefined) throw new EmptyLogError(`there is no run ${runId} here`);
  return { session, lines: lines.length };
}

/** Writes the first line of a run; throws `StaleLogError` when the id is taken. */
export async function beginRun(store: LogStore, started: RunStarted): Promise<OpenRun> {
  await store.append(started.facts.run, 0, [writeEvent(started)]);
  return { session: startSession(started), lines: 1 };
}

export const writeEvent = (event: RunEvent): string => JSON.stringify(event);
