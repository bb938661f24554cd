import type { RunEvent } from "../engine/run-events.ts";
import type { RunSession } from "../engine/session.ts";
import { stepsOf } from "../plan/steps.ts";
import type { Json } from "../ports/json.ts";
import { buildRunStatus, type GateDecider, gateNonce, type RunStatus, type StatusJob } from "./run-status.ts";
import { applyEvent, type Summary, startSummary } from "./run-summary.ts";

/** Follows a run's events, so that its current status is always known. */
export interface RunProjection {
  readonly summary: Summary;
  /** Takes events emitted before this process started. */
  recall(events: readonly RunEvent[]): void;
  emit(event: RunEvent): void;
  /** The run status after these events. */
  statusOf(session: RunSession, more: PendingAppend): Json;
}

/** The events about to be recorded. */
export interface PendingAppend {
  readonly events: readonly RunEvent[];
  /** The workspace snapshot that the status belongs to. */
  readonly work: string | undefined;
}

interface Following {
  /** The job that drives the run. */
  readonly job?: StatusJob | undefined;
  /** The last known head of the pull request's branch; defaults to the head when the run started. */
  readonly head?: string | undefined;
  /** The status when this process started: its gates were shown for the head in it. */
  readonly before?: RunStatus | undefined;
}

export function createRunProjection({ job, head, before }: Following = {}): RunProjection {
  let summary = startSummary();
  const heads = new Map(before?.gates.map((gate) => [gate.need, gate.head]));
  const headsOf = (session: RunSession) => {
    const open = session.gates();
    for (const { need } of open) if (!heads.has(need)) heads.set(need, head ?? session.facts.origin?.head);
    return open.map((gate) => ({ ...gate, head: heads.get(gate.need) }));
  };
  return {
    get summary() {
      return summary;
    },
    recall(events) {
      summary = events.reduce(applyEvent, startSummary());
    },
    emit(event) {
      summary = applyEvent(summary, event);
    },
    statusOf: (session, { events, work }) =>
      buildRunStatus({
        summary: events.reduce(applyEvent, summary),
        gates: headsOf(session),
        decided: decidersOf(session, before),
        steps: stepsOf(session.plan.body),
        origin: session.facts.origin,
        comment: before?.comment,
        job,
        work,
      }) as unknown as Json,
  };
}

/** Who decided each gate, from the log, with the nonces of gates shown earlier, from the stored status. */
function decidersOf({ decided, facts }: RunSession, before: RunStatus | undefined): readonly GateDecider[] {
  const known = before?.decided ?? [];
  const deciders = [...decided].map(([path, { by, comment, ...gate }]) => {
    const nonce = gateNonce(facts.run, gate);
    const source = comment === undefined ? known.find((one) => one.nonce === nonce)?.source : String(comment);
    return { path, by, nonce, ...(source === undefined ? {} : { source }) };
  });
  const others = known.filter(
    ({ nonce }) => nonce !== undefined && !deciders.some((one) => one.nonce === nonce),
  );
  return [...others, ...deciders];
}
