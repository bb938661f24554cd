import type { RunEvent } from "../engine/event.ts";
import type { Session } from "../engine/session.ts";
import type { ToldEvent } from "../engine/told.ts";
import { StaleLogError } from "../ports/store.ts";
import { closingOf, describe, openRun, writeEvent } from "./log.ts";
import type { Books } from "./world.ts";

/** Why nothing was put on record. */
export interface Refused {
  /** `late` where it would have been taken had not somebody else come first. */
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
  books: Books,
  runId: string,
  choose: (session: Session) => { readonly record: RunEvent } | Refused,
): Promise<Recorded | Refused> {
  for (let overtaken = false; ; overtaken = true) {
    const { store } = books;
    const run = await openRun(store, runId);
    const chosen = choose(run.session);
    // It would have been taken: whoever came first has changed that.
    if ("refused" in chosen) return overtaken ? { ...chosen, refused: "late" } : chosen;
    const before = run.session.take();
    run.session.feed(chosen.record);
    const lines = [chosen.record, ...closingOf(run.session, chosen.record.at)];
    const told = run.session.take();
    describe(books, run.session, { events: [...before, ...told], work: run.trail.commit });
    try {
      await store.append(runId, run.lines, lines.map(writeEvent));
      return { session: run.session, told };
    } catch (error) {
      if (!(error instanceof StaleLogError)) throw error;
    }
  }
}
