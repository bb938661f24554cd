import { type LogEvent, parseLogEvent } from "../engine/log-events.ts";
import type { RunEvent } from "../engine/run-events.ts";
import type { RunSession } from "../engine/session.ts";
import { StaleLogError } from "../ports/store.ts";
import type { InFlightEffects } from "./in-flight.ts";
import { closingEvents, type OpenRun, openRun, updateStatus, writeEvent } from "./open-run.ts";
import { restoreWorkspace } from "./restore-workspace.ts";
import type { RunEnvironment } from "./run-environment.ts";

/** Another process took over the run: this one stops and writes nothing more. */
export class RunTakenOverError extends Error {
  override readonly name = "RunTakenOverError";
}

/** A run that this process drives. */
export interface DrivenRun {
  readonly environment: RunEnvironment;
  readonly runId: string;
  readonly artifacts: string;
  readonly inFlight: InFlightEffects;
  run: OpenRun;
  /** Number of run events emitted. */
  emitted: number;
  /** True if a person asked for a pause and the next iteration has been reached: its effects are not started. */
  isPauseDue: boolean;
}

/** Appends events, emits the run events that follow, and starts the effects they open. */
export async function appendEvents(driven: DrivenRun, added: readonly LogEvent[]): Promise<void> {
  const { session } = driven.run;
  await write(
    driven,
    applyValid(added, session.apply, () => !session.ended),
  );
}

/** After a `StaleLogError`, when others wrote first: reloads the run and appends what is still new. */
export async function rebaseAfterConflict(
  driven: DrivenRun,
  error: unknown,
  added: readonly LogEvent[],
): Promise<void> {
  if (!(error instanceof StaleLogError)) throw error;
  const { lines } = driven.run;
  await reloadRun(driven);
  // Nobody wrote anything: another append would be refused in the same way, without end.
  if (error.undone.length === 0 && driven.run.lines === lines) throw error;
  const undone = new Set(error.undone);
  const events = error.undone.map(parseLogEvent);
  // These lines are of another run with the same id: it was started here and lost.
  const isAnother = events.some(({ type }) => type === "run.started");
  // The conflicting append may already contain these events.
  const again = [...(isAnother ? [] : events), ...added.filter((event) => !undone.has(writeEvent(event)))];
  const { session } = driven.run;
  await write(
    driven,
    applyValid(again, session.apply, (event) => isNews(session, event)),
  );
}

/** Applies the events that are still valid at that point; returns the applied ones. */
function applyValid(
  added: readonly LogEvent[],
  apply: RunSession["apply"],
  holds: (event: LogEvent) => boolean,
): readonly LogEvent[] {
  return added.filter((event) => {
    const isTaken = holds(event);
    if (isTaken) apply(event);
    return isTaken;
  });
}

/** Appends events that the session has already applied, with the starts of new effects. */
async function write(driven: DrivenRun, added: readonly LogEvent[]): Promise<void> {
  const { run, inFlight, environment } = driven;
  const { session } = run;
  const now = () => environment.clock.now();
  const isNew = ({ seq }: RunEvent) => seq > driven.emitted;
  const first = session.take().filter(isNew);
  // An iteration that has begun here is finished, even if the request stands before it in the log.
  driven.isPauseDue ||= session.isAskedToPause && first.some(({ type }) => type === "iteration.started");
  const rests = session.paused || driven.isPauseDue;
  const starts = rests ? [] : beginOpen(session, now);
  const events = [...added, ...starts, ...closingEvents(session, now())];
  const news = [...first, ...session.take().filter(isNew)];
  try {
    await append(driven, events, news);
  } catch (error) {
    return await rebaseAfterConflict(driven, error, added);
  }
  run.lines += events.length;
  emitNews(driven, news);
  await inFlight.prune(session.effects);
  if (rests) return;
  const fresh = [...session.effects.values()].filter(
    ({ port, path }) => port !== "human" && !inFlight.has(path),
  );
  if (fresh.length === 0) return;
  const hasAgent = fresh.some(({ port }) => port === "agent");
  // If this machine is lost, what earlier agents did must not be repeated.
  if (hasAgent) await environment.store.settle?.(driven.runId);
  try {
    await environment.store.assertCurrent?.(driven.runId, run.lines);
  } catch (error) {
    // Another process may drive the run by now and make this call itself.
    return await rebaseAfterConflict(driven, error, []);
  }
  // Check the disk before the call: on a full disk, a paid answer would be lost.
  if (hasAgent) await environment.store.probe?.(driven.runId);
  for (const effect of fresh) inFlight.start(effect, () => driven.run.session);
}

/** Loads the run's current log; throws `RunTakenOverError` if another process drives it now. */
export async function reloadRun(driven: DrivenRun): Promise<void> {
  const { environment, runId, artifacts } = driven;
  const now = await openRun(environment.store, runId, artifacts);
  const others = ({ trail }: OpenRun) => trail.drivers.filter((driver) => driver !== environment.owner);
  if (others(now).length > others(driven.run).length)
    throw new RunTakenOverError(`the run was taken over by ${others(now).at(-1)}: follow it there`);
  const { commit } = driven.run.trail;
  driven.run = now;
  // The driver before us worked on until we claimed the run.
  if (now.trail.commit !== commit && !driven.inFlight.busy)
    await restoreWorkspace(environment, runId, now.trail.commit);
}

async function append(
  { environment, run, runId }: DrivenRun,
  events: readonly LogEvent[],
  news: readonly RunEvent[],
): Promise<void> {
  const { store } = environment;
  if (events.length === 0) return;
  for (const event of events) {
    const commit = run.trail.take(event);
    if (commit !== undefined) store.work?.keep(runId, commit);
  }
  updateStatus(environment, run.session, { events: news, work: run.trail.commit });
  await store.append(runId, run.lines, events.map(writeEvent));
  // A start, a pause and an end take effect only once they are visible to everyone.
  if (events.some(({ type }) => type.startsWith("run."))) await store.flush?.(runId);
}

/** A reloaded session emits all events again; skip those already emitted. */
function emitNews(driven: DrivenRun, news: readonly RunEvent[]): void {
  for (const event of news) {
    driven.environment.emit(event);
    driven.emitted = Math.max(driven.emitted, event.seq);
  }
}

/** True if an event still applies to a run that others have changed. */
function isNews(session: RunSession, event: LogEvent): boolean {
  if (session.ended || event.type === "run.ended") return false;
  if ("path" in event) return session.effects.has(event.path);
  const gate = event.type === "run.paused" && event.stop_reason === "gate";
  // A decision was recorded before the pause: there is work to do.
  return !(gate && [...session.effects.values()].some(({ port }) => port !== "human"));
}

/** Records the start of every open effect that needs no person, before performing any. */
function beginOpen(session: RunSession, now: () => string) {
  const open = [...session.effects.values()].filter(
    ({ path, port }) => port !== "human" && !session.hasStarted(path),
  );
  const starts = open.map(({ path }) => ({ type: "need.begun", at: now(), path }) as const);
  for (const event of starts) session.apply(event);
  return starts;
}
