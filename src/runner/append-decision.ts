import type { LogEvent } from "../engine/log-events.ts";
import type { RunEvent } from "../engine/run-events.ts";
import type { RunSession } from "../engine/session.ts";
import { StaleLogError } from "../ports/store.ts";
import { closingEvents, openRun, updateStatus, writeEvent } from "./open-run.ts";
import type { StatusStore } from "./run-environment.ts";

/** Why nothing was appended. */
export interface Refused {
  /** `late`: it would have been accepted, but someone else was first. */
  readonly refused: string;
  readonly because: string;
}

/** What was appended: the run's new state, and the run events that followed. */
export interface Recorded {
  readonly session: RunSession;
  readonly events: readonly RunEvent[];
}

/**
 * Appends one decision by compare-and-append. If another writer came first, it is decided again on the new log, so of
 * two approvals of a gate exactly one is recorded.
 */
export async function appendDecision(
  statusStore: StatusStore,
  runId: string,
  choose: (session: RunSession) => { readonly record: LogEvent } | Refused,
): Promise<Recorded | Refused> {
  for (let overtaken = false; ; overtaken = true) {
    const { store } = statusStore;
    const run = await openRun(store, runId);
    const chosen = choose(run.session);
    // It would have been accepted, but another writer came first.
    if ("refused" in chosen) return overtaken ? { ...chosen, refused: "late" } : chosen;
    const before = run.session.take();
    run.session.apply(chosen.record);
    const lines = [chosen.record, ...closingEvents(run.session, chosen.record.at)];
    const events = run.session.take();
    updateStatus(statusStore, run.session, { events: [...before, ...events], work: run.trail.commit });
    try {
      await store.append(runId, run.lines, lines.map(writeEvent));
      return { session: run.session, events };
    } catch (error) {
      if (!(error instanceof StaleLogError)) throw error;
    }
  }
}
