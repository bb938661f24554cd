import type { Session } from "../engine/session.ts";
import type { ToldEvent } from "../engine/told.ts";
import type { Json } from "../ports/json.ts";
import { type StandingJob, standingOf } from "./standing.ts";
import { observe, type Summary, startSummary } from "./summary.ts";

/** Follows what a run tells, so that at any time it can be said where the run stands. */
export interface Follower {
  readonly summary: Summary;
  /** Takes in what was told before this process came. */
  recall(events: readonly ToldEvent[]): void;
  tell(event: ToldEvent): void;
  /** Where the run stands once these events are told too. */
  standing(session: Session, more: Upcoming): Json;
}

/** What is about to be put on record. */
export interface Upcoming {
  readonly events: readonly ToldEvent[];
  /** The snapshot of the workspace that belongs to it. */
  readonly work: string | undefined;
}

export function followRun(job?: StandingJob): Follower {
  let summary = startSummary();
  return {
    get summary() {
      return summary;
    },
    recall(events) {
      summary = events.reduce(observe, startSummary());
    },
    tell(event) {
      summary = observe(summary, event);
    },
    standing: (session, { events, work }) =>
      standingOf({
        summary: events.reduce(observe, summary),
        gates: session.gates(),
        origin: session.facts.origin,
        job,
        work,
      }) as unknown as Json,
  };
}
