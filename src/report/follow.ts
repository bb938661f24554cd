import type { Session } from "../engine/session.ts";
import type { ToldEvent } from "../engine/told.ts";
import type { Json } from "../ports/json.ts";
import { type Decider, gateNonce, type Standing, type StandingJob, standingOf } from "./standing.ts";
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

interface Following {
  /** The job that drives the run. */
  readonly job?: StandingJob | undefined;
  /** The head of the pull request's branch, as far as this process knows; that of the run's beginning unless told. */
  readonly head?: string | undefined;
  /** Where the run stood when this process came: what it shows already is shown for the head that it names. */
  readonly before?: Standing | undefined;
}

export function followRun({ job, head, before }: Following = {}): Follower {
  let summary = startSummary();
  const heads = new Map(before?.gates.map((gate) => [gate.need, gate.head]));
  const headsOf = (session: Session) => {
    const open = session.gates();
    for (const { need } of open) if (!heads.has(need)) heads.set(need, head ?? session.facts.origin?.head);
    return open.map((gate) => ({ ...gate, head: heads.get(gate.need) }));
  };
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
        gates: headsOf(session),
        decided: decidersOf(session, before),
        origin: session.facts.origin,
        comment: before?.comment,
        job,
        work,
      }) as unknown as Json,
  };
}

/** Who decided what, by the log; and gates that were shown by another nonce, as the record told before. */
function decidersOf({ decided, facts }: Session, before: Standing | undefined): readonly Decider[] {
  const known = before?.decided ?? [];
  const told = [...decided].map(([path, { by, comment, ...gate }]) => {
    const nonce = gateNonce(facts.run, gate);
    const said = comment === undefined ? known.find((one) => one.nonce === nonce)?.said : String(comment);
    return { path, by, nonce, ...(said === undefined ? {} : { said }) };
  });
  const others = known.filter(({ nonce }) => nonce !== undefined && !told.some((one) => one.nonce === nonce));
  return [...others, ...told];
}
