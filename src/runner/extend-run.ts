import { type LogEvent, parseLogEvent } from "../engine/log-events.ts";
import { replay } from "../engine/replay.ts";
import type { RunSession } from "../engine/session.ts";
import type { Refused } from "./append-decision.ts";
import { openRun, updateStatus, writeEvent } from "./open-run.ts";
import type { StatusStore } from "./run-environment.ts";

/** Gives an ended run more iterations, so that it can be resumed; returns the reason if that is not possible. */
export async function extendRun(
  statusStore: StatusStore,
  runId: string,
  choose: (session: RunSession) => { readonly record: LogEvent } | Refused,
): Promise<Refused | undefined> {
  const { store } = statusStore;
  const run = await openRun(store, runId);
  const chosen = choose(run.session);
  if ("refused" in chosen) return chosen;
  const line = writeEvent(chosen.record);
  const lines = await store.read(runId);
  const session = replay([...lines, line].map(parseLogEvent));
  if (session.ended) {
    const because = `run ${runId} did more after its loop had ended, so the loop cannot continue: start a new run`;
    return { refused: "wrong", because };
  }
  updateStatus(statusStore, session, { events: session.take(), work: run.trail.commit });
  await store.append(runId, lines.length, [line]);
  return undefined;
}
