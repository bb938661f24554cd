import type { Comment, LogEvent } from "../engine/log-events.ts";
import { stepNamed } from "../engine/node-labels.ts";
import { isLoopGate } from "../engine/path.ts";
import { didYouMean } from "../ports/nearest-word.ts";
import { type Answer, decisionOf } from "./answer.ts";
import type { RunView, ViewedGate } from "./run-view.ts";

/** A person's command, from the command line, a comment or a button. */
export interface Statement {
  readonly kind: Answer | "tell" | "resume" | "retry";
  readonly by: string;
  readonly text: string;
  /** Now, in ISO 8601. */
  readonly at: string;
  /** The command applies only to gates opened by this time, in milliseconds since 1970. */
  readonly since: number;
  /** The path or the nonce of the gate; defaults to the oldest open gate. */
  readonly gate?: string | undefined;
  /** The step a message is for. */
  readonly step?: string | undefined;
  readonly comment?: Comment | undefined;
  /** The current head of the pull request's branch. A gate applies to the commit it was shown for. */
  readonly head?: string | undefined;
  /** What happens to an approval if the branch has moved since the gate was shown; default `ignore`: it counts. */
  readonly moved?: "ask" | "show" | "ignore" | undefined;
  /** True if the approval applies to the current commit, whatever it is. */
  readonly anyway?: boolean | undefined;
}

/** The events to record, or why nothing is recorded. */
export type Decision =
  | { readonly record: LogEvent; readonly gate?: ViewedGate }
  | { readonly resumes: true }
  /** The branch has moved: the gate must be shown again for its new head. */
  | { readonly shownAgain: ViewedGate; readonly because: string }
  | {
      /** `late`: someone else decided first. `wrong`: there is nothing here that it applies to. */
      readonly refused: "late" | "wrong";
      readonly because: string;
      /** Set if the run waits for a person and cannot be resumed; its gates may be shown instead. */
      readonly waits?: true;
    };

/** How a message is formatted: for a terminal, or for a page, where names are escaped. */
export interface Wording {
  code(text: string): string;
  name(text: string): string;
  /** The command that grants a run more iterations. */
  more(run: string): string;
}

const onTerminal: Wording = {
  code: (text) => text,
  name: (text) => text,
  more: (run) => `until-green resume ${run} --more-iterations 5`,
};

/** Decides what a statement means for a run. Pure. Command line, action and app all use this function. */
export function decide(view: RunView, statement: Statement, wording: Wording = onTerminal): Decision {
  const { kind, at, by, text } = statement;
  const decision = decisionOf(kind);
  if (decision !== undefined) return decideGate(view, { ...statement, decision }, wording);
  if (kind === "retry") return retry(view, statement, wording);
  if (kind === "resume") return resume(view, wording);
  if (view.state === "ended") return over(view, wording);
  if (kind === "tell") return tell(view, statement, wording);
  const because = text === "" ? `cancelled by ${by}` : `cancelled by ${by}: ${text}`;
  return { record: { type: "run.cancelled", at, by, because, ...provenance(statement) } };
}

/** The refusal after a cancellation by someone else: names who cancelled. */
const over = ({ run, cancelled }: RunView, { name }: Wording) =>
  cancelled === undefined
    ? wrong(`run ${run} has ended already`)
    : ({ refused: "late", because: `run ${run} was ${name(cancelled)}` } as const);

const wrong = (because: string) => ({ refused: "wrong", because }) as const;
const provenance = ({ comment }: Statement) => (comment === undefined ? {} : { comment });

function resume(view: RunView, wording: Wording): Decision {
  const { run, state, cancelled, stopReason, waits } = view;
  if (state !== "ended")
    return waits
      ? { ...wrong(`run ${run} waits for a person: approve or reject it`), waits }
      : { resumes: true };
  if (cancelled !== undefined) return over(view, wording);
  const more = stopReason === "max-iterations" ? `, or give it more: ${wording.more(run)}` : "";
  return wrong(`run ${run} has ended; there is nothing to resume: start a new run${more}`);
}

type GateStatement = Statement & { readonly decision: "approve" | "reject" };

function decideGate(view: RunView, statement: GateStatement, wording: Wording): Decision {
  const gate = gateMeant(view, statement);
  if (view.state === "ended" || gate === undefined) return refusal(view, statement, wording);
  const { kind, decision, at, by, text, head, moved = "ignore", anyway } = statement;
  const { code } = wording;
  if (kind === "feedback" && text === "") return wrong(`${code("feedback")} needs a text`);
  if (kind === "feedback" && !isLoopGate(gate.path))
    return wrong(`${code(gate.path)} has no next iteration for feedback: approve or reject it`);
  const hasMoved = gate.head !== undefined && head !== undefined && gate.head !== head;
  if (hasMoved && decision === "approve" && anyway !== true && moved !== "ignore") {
    const since = `the branch has moved from ${code(short(gate.head))} to ${code(short(head))} since the gate was shown`;
    if (moved === "ask")
      return wrong(`${since}: review it, then use ${code(`/workflow approve ${view.run} --anyway`)}`);
    return { shownAgain: gate, because: `${since}; the gate is shown again: review it, then approve` };
  }
  return {
    record: { type: "run.decided", at, gate: gate.need, decision, by, text, ...provenance(statement) },
    gate,
  };
}

/**
 * The gate a statement applies to. A gate that opened in the future was opened by another machine's clock, so a
 * command given now may apply to it. A comment never does: GitHub dates both the comment and the comment that showed
 * the gate.
 */
function gateMeant(
  { gates }: RunView,
  { since, at, gate: meant, comment }: Statement,
): ViewedGate | undefined {
  const isSeen = (gate: ViewedGate) =>
    Date.parse(gate.since) <= since || (comment === undefined && Date.parse(gate.since) > Date.parse(at));
  return gates.find((gate) => isSeen(gate) && (meant === undefined || isNamed(gate, meant)));
}

const isNamed = (
  { path, nonce }: { readonly path: string; readonly nonce?: string | undefined },
  meant: string,
) => path === meant || nonce === meant;

const short = (commit = "") => commit.slice(0, 7);

/** Why nothing is decided; names the person who decided first, if anyone did. */
function refusal(view: RunView, { gate: meant }: Statement, wording: Wording) {
  const { run, state, gates, decided } = view;
  const { code, name } = wording;
  const by = decided.findLast((one) => meant === undefined || isNamed(one, meant))?.by;
  const shown = gates.map(({ path }) => code(path)).join(", ");
  const now = shown === "" || state === "ended" ? "" : `; open now: ${shown}`;
  const ended = state === "ended" ? `run ${run} has ended` : undefined;
  const isOpen = gates.some((gate) => meant === undefined || isNamed(gate, meant));
  if (by !== undefined && !(meant !== undefined && isOpen)) {
    const because = `already decided by ${name(by)}${ended === undefined ? now : `; ${ended}`}`;
    return { refused: "late", because } as const;
  }
  if (ended !== undefined) return over(view, wording);
  if (isOpen) return wrong(`this decision is older than the gate ${shown}: look at the gate first`);
  return wrong(meant === undefined ? `run ${run} is not waiting at a gate` : `that gate is not open${now}`);
}

/** Grants more iterations to a run that ended because it had none left. */
function retry({ run, state, stopReason = "" }: RunView, statement: Statement, { code }: Wording): Decision {
  const { text, at, by } = statement;
  if (state !== "ended") return wrong(`run ${run} has not ended: ${code(`resume ${run}`)} continues it`);
  if (stopReason !== "max-iterations")
    return wrong(`run ${run} has ended, but not because its iterations were used up: start a new run`);
  if (!/^([1-9]\d{0,2})?$/.test(text))
    return wrong(`${code("retry")} takes a number of iterations: ${code(`/workflow retry ${run} 5`)}`);
  const more = text === "" ? {} : { iterations: Number(text) };
  return { record: { type: "run.extended", at, by, ...more, ...provenance(statement) } };
}

/** A message goes to the step's inbox; its next agent call reads it. */
function tell({ steps }: RunView, statement: Statement, { code }: Wording): Decision {
  const { step: to = "", text, at, by } = statement;
  if (to === "" || text === "") return wrong(`${code("tell")} needs a step and a text`);
  const step = steps?.find(({ id }) => id === to) ?? steps?.find(({ id }) => id === stepNamed(to));
  if (steps !== undefined && step === undefined)
    return wrong(
      `the workflow has no step ${code(to)}; ${didYouMean(
        to,
        steps.map(({ id }) => id),
        code,
      )}`,
    );
  if (step?.id === to && step.parts !== undefined)
    return wrong(
      `${code(to)} accepts no messages: name a step inside it: ${step.parts.map((id) => code(id)).join(", ")}`,
    );
  return { record: { type: "run.messaged", at, to, from: by, text, ...provenance(statement) } };
}
