import type { LogEvent } from "../engine/log-events.ts";
import type { RunEvent } from "../engine/run-events.ts";
import type { RunSession } from "../engine/session.ts";
import { StaleLogError } from "../ports/store.ts";
import { closingEvents, openRun, updateStatus, writeEvent } from "./open-run.ts";
import type { StatusStore } from "./run-environment.ts";

/** Why nothing was appended. */
export interface Refused {
  /** `late`: it would have been accepted if no one else had been first. */
  readonly refused: string;
  readonly because: string;
}

/** What was appended: the run's new state, and the run events that followed. */
export interface Recorded {
  readonly session: RunSession;
  readonly events: readonly RunEvent[];
}

/**
 * Appends one decision by compare-and-append. It is judged again whenever another writer came first, so of two
 * approvals of a gate exactly one is recorded.
 */
export async function appendDecision(
  books: StatusStore,
  runId: string,
  choose: (session: RunSession) => { readonly record: LogEvent } | Refused,
): Promise<Recorded | Refused> {
  for (let overtaken = false; ; overtaken = true) {
    const { store } = books;
    const run = await openRun(store, runId);
    const chosen = choose(run.session);
    // It would have been accepted, but another writer came first.
    if ("refused" in chosen) return overtaken ? { ...chosen, refused: "late" } : chosen;
    const before = run.session.take();
    run.session.apply(chosen.record);
    const lines = [chosen.record, ...closingEvents(run.session, chosen.record.at)];
    const events = run.session.take();
    updateStatus(books, run.session, { events: [...before, ...events], work: run.trail.commit });
    try {
      await store.append(runId, run.lines, lines.map(writeEvent));
      return { session: run.session, events };
    } catch (error) {
      if (!(error instanceof StaleLogError)) throw error;
    }
  }
}
