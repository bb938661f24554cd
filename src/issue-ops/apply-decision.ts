import { createHash } from "node:crypto";
import { decisionOf } from "../decisions/answer.ts";
import { decide, type Statement } from "../decisions/decide.ts";
import type { RunView, ViewedGate } from "../decisions/run-view.ts";
import type { Wording } from "../decisions/statement.ts";
import type { LogEvent } from "../engine/log-events.ts";
import { inlineCode, inMarkdown } from "../render/escape.ts";
import { withDecision } from "../status/decisions.ts";
import type { RunStatus, StatusGate } from "../status/run-status.ts";
import { parseRunStatus } from "../status/run-status-schema.ts";
import type { Tip } from "../stores/rest/tip.ts";
import { commandsOf, keptCommands } from "./pending-commands.ts";

/** A statement as it was received: from a comment or a button. */
export interface DecisionInput extends Statement {
  /** Identifies the comment or the button press, so that a second delivery changes nothing. */
  readonly source: string;
}

/** The change at the tip of a run's ref, or why there is none. */
export type DecisionResult =
  | {
      readonly lines: readonly string[];
      /** The new state at the run's tip. */
      readonly state: Readonly<Record<string, unknown>>;
      readonly status: RunStatus;
      /** Set if nothing is decided and the gate is only shown again. */
      readonly isShown?: string;
    }
  | { readonly resumes: true }
  /** This comment or press is already recorded. */
  | { readonly repeated: true }
  | { readonly refused: "late" | "wrong"; readonly because: string };

/** Applies a decision to the tip of a run alone; pure. */
export function applyDecision(tip: Tip, input: DecisionInput): DecisionResult {
  const status = parseRunStatus(tip.state["status"]);
  if (status === undefined)
    return { refused: "wrong", because: `the record of run ${tip.run} has no status` };
  const pending = commandsOf(tip);
  if (isOnRecord(status, pending, input)) return { repeated: true };
  // A run that was not started on a pull request works on another branch.
  const head = status.origin?.pull === undefined ? undefined : input.head;
  const decision = decide(viewOfStatus(status, pending), { ...input, head }, inPage);
  if ("shownAgain" in decision) return showAgain(tip, status, { ...decision, input, head });
  if (!("record" in decision)) return decision;
  const { record, gate } = decision;
  const ready = record.type === "run.extended" ? reopened(status) : status;
  const next = gate === undefined ? ready : withoutGate(ready, gate, input);
  return {
    lines: [JSON.stringify(record)],
    status: next,
    state: { status: next, commands: keptCommands(tip, [record]) },
  };
}

const inPage: Wording = {
  code: inlineCode,
  name: inMarkdown,
  more: (run) => inlineCode(`/workflow retry ${run} 5`),
};

/** The view given by the status of a run, with the commands since then. */
function viewOfStatus(
  { summary, gates, decided = [], steps }: RunStatus,
  pending: readonly LogEvent[],
): RunView {
  const late = pending.flatMap((event) =>
    event.type === "run.decided" ? [{ path: event.gate, by: event.by }] : [],
  );
  const end = pending.find((event) => event.type === "run.cancelled");
  return {
    run: summary.run,
    state: end === undefined ? summary.state : "ended",
    waits: isAtGatesOnly(summary) && gates.length > 0 && late.length === 0,
    stopReason: end === undefined ? summary.stopReason : "cancelled",
    cancelled: end?.because ?? (summary.conclusion === "cancelled" ? summary.because : undefined),
    gates,
    decided: decided.length > 0 ? decided : late,
    steps,
  };
}

const isAtGatesOnly = ({ state, stopReason = "gate" }: RunStatus["summary"]) =>
  state === "paused" && stopReason === "gate";

/** The status as the run's next job will find it: paused until the job resumes it. */
const reopened = (status: RunStatus): RunStatus => ({
  ...status,
  summary: {
    ...status.summary,
    state: "paused",
    stopReason: "time-limit",
    conclusion: undefined,
    because: undefined,
    endedAt: undefined,
  },
});

/** True if this command was accepted before: it may be delivered twice, hours apart, to two processes of the app. */
function isOnRecord(status: RunStatus, pending: readonly LogEvent[], input: DecisionInput): boolean {
  if (isDecider(status, input.source)) return true;
  if (input.comment !== undefined) return pending.some((event) => commentOf(event) === input.comment?.id);
  // A stop by button records only a name; the person who stopped the run needs no reply.
  const { conclusion, because } = status.summary;
  const isStop = (text = "") => text === `cancelled by ${input.by}`;
  return (
    input.kind === "cancel" &&
    (pending.some((event) => event.type === "run.cancelled" && isStop(event.because)) ||
      (conclusion === "cancelled" && isStop(because)))
  );
}

/** True if this comment or press decided one of a run's last gates. */
export const isDecider = ({ decided = [] }: RunStatus, source: string) =>
  decided.some((one) => one.source === source);

const commentOf = (event: LogEvent) => ("comment" in event ? event.comment?.id : undefined);

function withoutGate(
  status: RunStatus,
  { need, path, nonce }: ViewedGate,
  { by, source, kind, text, at }: DecisionInput,
): RunStatus {
  const decider = { path, by, source, ...(nonce === undefined ? {} : { nonce }) };
  const gates = status.gates.filter((gate) => gate.need !== need);
  const shown = withGates(status, gates);
  const decision = decisionOf(kind) ?? "approve";
  const summary = withDecision(shown.summary, { at, decision, by, text, path });
  return { ...shown, summary, decided: [...(status.decided ?? []), decider].slice(-20) };
}

const withGates = (status: RunStatus, gates: readonly StatusGate[]): RunStatus => ({
  ...status,
  gates,
  summary: { ...status.summary, gates: gates.map(({ path, question }) => ({ path, question })) },
});

interface ShownAgain {
  readonly shownAgain: ViewedGate;
  readonly because: string;
  readonly input: DecisionInput;
  readonly head: string | undefined;
}

/** The same gate for another head; buttons of the old one become invalid. */
function showAgain(
  tip: Tip,
  status: RunStatus,
  { shownAgain, because, input, head }: ShownAgain,
): DecisionResult {
  // Earlier commands do not apply to the new gate; neither does this one, if it is delivered again.
  const since = new Date(Math.max(Date.parse(input.at), input.since + 1)).toISOString();
  const named = `${shownAgain.nonce}\0${head}`;
  const nonce = createHash("sha256").update(named).digest("hex").slice(0, 10);
  const next = withGates(
    status,
    status.gates.map((gate) => (gate.need === shownAgain.need ? { ...gate, head, since, nonce } : gate)),
  );
  return {
    lines: [],
    status: next,
    state: { status: next, commands: keptCommands(tip, []) },
    isShown: because,
  };
}
