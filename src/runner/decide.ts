import type { RunEvent } from "../engine/event.ts";
import type { Session } from "../engine/session.ts";
import type { ToldEvent } from "../engine/told.ts";
import { type LogStore, StaleLogError } from "../ports/store.ts";
import { closingOf, openRun, writeEvent } from "./log.ts";

/** Why nothing was put on record. */
export interface Refused {
  readonly refused: string;
  readonly because: string;
}

/** What was put on record: the run as it stands since, and what that told. */
export interface Recorded {
  readonly session: Session;
  readonly told: readonly ToldEvent[];
}

/**
 * Puts one decision on record by compare-and-append: chosen anew whenever another writer came first, so of two
 * approvals of a gate exactly one is recorded.
 */
export async function decide(
  store: LogStore,
  runId: string,
  choose: (session: Session) => { readonly record: RunEvent } | Refused,
): Promise<Recorded | Refused> {
  for (;;) {
    const run = await openRun(store, runId);
    const chosen = choose(run.session);
    if ("refused" in chosen) return chosen;
    run.session.take();
    run.session.feed(chosen.record);
    const lines = [chosen.record, ...closingOf(run.session, chosen.record.at)];
    try {
      await store.append(runId, run.lines, lines.map(writeEvent));
      return { session: run.session, told: run.session.take() };
    } catch (error) {
      if (!(error instanceof StaleLogError)) throw error;
    }
  }
}
