import { type LogEvent, parseLogEvent, type RunStarted } from "../engine/log-events.ts";
import { EmptyLogError, replay } from "../engine/replay.ts";
import { type RunSession, startSession } from "../engine/session.ts";
import { preloadForPlan } from "../plan/preload.ts";
import { itemOf } from "../ports/item.ts";
import { type LogStore, StaleLogError } from "../ports/store.ts";
import { withLocalArtifacts } from "./restore-workspace.ts";
import type { PendingAppend, StatusStore } from "./run-environment.ts";

/** A stored run: its session, and how many lines of its log have been applied. */
export interface OpenRun {
  readonly session: RunSession;
  readonly trail: LogIndex;
  lines: number;
}

/** Reads the events of a run, oldest first; throws `EmptyLogError` if there are none. */
async function readRun(store: LogStore, runId: string): Promise<readonly LogEvent[]> {
  const lines = await store.read(runId);
  if (lines.length === 0) throw new EmptyLogError(await whyEmpty(store, runId));
  return lines.map(parseLogEvent);
}

async function whyEmpty(store: LogStore, runId: string): Promise<string> {
  const gone = store.whyGone?.(runId);
  if (gone !== undefined) return gone;
  const none = `there is no run ${runId} here`;
  const items = itemOf(runId) === undefined ? await itemsOf(store, runId) : [];
  if (items.length === 0) return `${none}: until-green list shows all runs`;
  const more = items.length > mostNamed ? ` and ${items.length - mostNamed} more` : "";
  return `${none}; each of its items is a run of its own: ${items.slice(0, mostNamed).join(", ")}${more}`;
}

const mostNamed = 10;

/**
 * The ids of the runs of a run's items, in order. A run spread over jobs has no log of its own; each item has one.
 */
export async function itemsOf(store: LogStore, runId: string): Promise<readonly string[]> {
  const items = (await store.list()).flatMap((id) => {
    const item = itemOf(id);
    return item?.of === runId ? [{ id, number: item.number }] : [];
  });
  return items.toSorted((a, b) => a.number - b.number).map(({ id }) => id);
}

/** Reads a run and replays its log into a new session; `artifacts` is its folder on this machine. */
export async function openRun(store: LogStore, runId: string, artifacts?: string): Promise<OpenRun> {
  const events = await readRun(store, runId);
  for (const event of events) if (event.type === "run.started") await preloadForPlan(event.plan);
  const session = replay(artifacts === undefined ? events : withLocalArtifacts(events, artifacts));
  return { session, trail: createLogIndex(events), lines: events.length };
}

/** The id of a new run is already in use. */
export class RunExistsError extends Error {
  override readonly name = "RunExistsError";
}

/** Writes the first line of a run. */
export async function beginRun(statusStore: StatusStore, started: RunStarted): Promise<OpenRun> {
  const { store } = statusStore;
  const { run } = started.facts;
  await preloadForPlan(started.plan);
  if (statusStore.statusOf !== undefined) {
    const session = startSession(started);
    updateStatus(statusStore, session, { events: session.take(), work: undefined });
  }
  try {
    await store.append(run, 0, [writeEvent(started)]);
    await store.flush?.(run);
  } catch (error) {
    if (!(error instanceof StaleLogError)) throw error;
    throw new RunExistsError(`run ${run} already exists: resume it, or choose another id`);
  }
  return { session: startSession(started), trail: createLogIndex([started]), lines: 1 };
}

/** Attaches the run status to the next append, in stores whose logs are shared with other machines. */
export function updateStatus(
  { store, statusOf }: StatusStore,
  session: RunSession,
  upcoming: PendingAppend,
): void {
  if (store.describe === undefined || statusOf === undefined) return;
  store.describe(session.facts.run, statusOf(session, upcoming));
}

/** The event that closes the log of an ended run; empty if the log already has it. */
export function closingEvents(session: RunSession, at: string): readonly LogEvent[] {
  if (session.end === undefined || session.closed) return [];
  const event = { ...session.end, at };
  session.apply(event);
  return [event];
}

export const writeEvent = (event: LogEvent): string => JSON.stringify(event);

/** What the runner needs to know about a log: the latest workspace snapshot, and who drove the run. */
interface LogIndex {
  /** The last recorded snapshot of the workspace, not counting snapshots of items' own checkouts. */
  readonly commit: string | undefined;
  /** Everyone who has resumed the run, oldest first. */
  readonly drivers: readonly string[];
  /** Takes the next event; returns the snapshot it records. */
  take(event: LogEvent): string | undefined;
}

export function createLogIndex(events: readonly LogEvent[]): LogIndex {
  const drivers: string[] = [];
  const forks = new Set<string>();
  let commit: string | undefined;
  const take = (event: LogEvent) => {
    if (event.type === "run.resumed") drivers.push(event.by);
    if (event.type !== "need.met" || event.port !== "workspace") return undefined;
    const { path, answer } = event;
    const inside = [...forks].some((fork) => isBelow(path, fork));
    if (path.endsWith(fork)) forks.add(path.slice(0, -fork.length));
    // A join with conflicts does not change the workspace.
    if (inside || answer.commit === undefined || (answer.conflicts ?? []).length > 0) return undefined;
    commit = answer.commit;
    return commit;
  };
  for (const event of events) take(event);
  return {
    get commit() {
      return commit;
    },
    drivers,
    take,
  };
}

const fork = "!fork";

/** True if the effect ran inside a forked checkout (not the fork or join itself). */
const isBelow = (path: string, owner: string) =>
  path.startsWith(owner) &&
  /^[/~#?!]/.test(path.slice(owner.length)) &&
  !/^!(fork|join)$/.test(path.slice(owner.length));
