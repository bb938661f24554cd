import type { Scope } from "../../expressions/scope.ts";
import type { LoopNode } from "../../plan/plan.ts";
import { defined } from "../../ports/defined.ts";
import { stripSignals } from "../../stops/signal-text.ts";
import type { Iteration } from "../../stops/stop.ts";
import type { ExecutionContext, IterationRecord, LoopFrame } from "../execution-context.ts";
import { emit, type Operation } from "../operation.ts";
import type { Failed, Outcome } from "../outcome.ts";
import { attemptOf, iterationOf } from "../path.ts";
import { scopeAt } from "../scope.ts";
import { brokenCheck, checkingOf } from "./check-record.ts";
import { escalate } from "./escalate.ts";
import { failureOf, waitToRetry } from "./failures.ts";
import { entryOf, historyForJudge, keepsHistory } from "./history.ts";
import { reviewWork } from "./judged-work.ts";
import { type LoopBodyCompleted, runLoopBody } from "./loop-body.ts";
import {
  countNoProgress,
  countSameFailure,
  frameOf,
  type LoopState,
  noteFailure,
  whyNoProgress,
} from "./loop-state.ts";
import { type IterationSnapshot, measure, snapshot } from "./loop-workspace.ts";
import { guardFiles } from "./protected-changes.ts";
import { storeIterationNumber, updateCarriedContext } from "./sequence-loop-state.ts";
import { type StopResult, testStops } from "./stops.ts";
import { undoneChanges } from "./undone-changes.ts";

/** The result of one iteration: its body failed, or its stops gave a verdict. */
export type IterationOutcome = Failed | JudgedIteration;

interface JudgedIteration {
  readonly status: "completed";
  readonly tested: StopResult;
  /** What texts about the iteration can read. */
  readonly scope: Scope;
}

interface IterationContext {
  readonly number: number;
  /** True if no other iteration can follow. */
  readonly isLast: boolean;
  readonly memory: LoopState;
}

/** Runs one iteration: the body, then protected files are restored, a snapshot is taken, the stops are tested. */
export function* runIteration(
  node: LoopNode,
  context: ExecutionContext,
  { number, memory, isLast }: IterationContext,
): Operation<IterationOutcome> {
  const { path } = context;
  yield* emit({ type: "iteration.started", path, node: node.id, number });
  storeIterationNumber(node, context, number);
  const frame = frameOf(node, memory, { number, context });
  const end = yield* runAttempts(node, yield* escalate(node, context, memory), { frame, memory });
  memory.userInput = "";
  memory.notes = frame.calls?.noted ?? memory.notes;
  if (end.status === "failed") {
    if (!node.forgetsFailures) memory.previous = end.output;
    memory.texts = [`iteration ${number} failed: ${end.because}`];
    yield* emit({ type: "iteration.ended", path, node: node.id, number, output: end.output });
    return end;
  }
  updateCarriedContext(node, context);
  const output = stripSignals(end.raw, signalsOf(node));
  const guardFailure = yield* guardFiles(node, context, memory);
  const since = memory.commit;
  const checked = yield* snapshot(context, { since, message: `${node.id}, iteration ${number}` });
  const seen = { ...frame, output, result: end.result };
  const entry = entryOf(node, { end, output, number });
  const tested =
    guardFailure ??
    (yield* judged(node, context, { end, output, frame: seen, memory, kept: checked, entry, isLast }));
  const kept = (tested.status === "completed" ? tested.tested.kept : undefined) ?? checked;
  const judgement = tested.status === "completed" ? (tested.tested.judged ?? "") : "";
  remember(node, memory, { end, output, kept, entry: { ...entry, judged: judgement } });
  memory.texts =
    tested.status === "completed" ? tested.tested.texts : [`iteration ${number} failed: ${tested.because}`];
  yield* emit({ type: "iteration.ended", path, node: node.id, number, output, ...shownOf(kept, since) });
  return tested;
}

/** Runs the body, again if the author allows retries; a retry uses no iteration. */
function* runAttempts(
  node: LoopNode,
  context: ExecutionContext,
  { frame, memory }: { readonly frame: LoopFrame; readonly memory: LoopState },
) {
  const times = node.onError.mode === "retry" ? node.onError.times : 0;
  const session = node.session === "threaded" ? memory.session : undefined;
  for (let attempt = 1; ; attempt++) {
    const inside = { ...context, path: attemptOf(context.path, attempt) };
    frame.calls?.signals.clear();
    const end = yield* runLoopBody(node.body, inside, { node: node.id, frame, session });
    if (end.status === "completed" || attempt > times || end.reason === "budget") return end;
    yield* emit({ type: "node.retried", path: context.path, attempt: attempt + 1, reason: end.because });
    yield* waitToRetry(node.onError, attemptOf(context.path, attempt + 1));
  }
}

const signalsOf = ({ stops }: LoopNode) =>
  stops.flatMap((stop) => (stop.kind === "signal" || stop.kind === "fail-signal" ? [stop.text] : []));

interface Judged {
  readonly end: LoopBodyCompleted;
  readonly output: string;
  readonly frame: LoopFrame;
  readonly memory: LoopState;
  readonly kept: IterationSnapshot;
  readonly entry: IterationRecord;
  readonly isLast: boolean;
}

/** The verdict of the stops. An iteration fails if a judge cannot be asked or a text cannot be resolved. */
function* judged(node: LoopNode, context: ExecutionContext, about: Judged): Operation<IterationOutcome> {
  try {
    return yield* judge(node, context, about);
  } catch (error) {
    return { ...failureOf(error), output: about.output };
  }
}

function* judge(node: LoopNode, context: ExecutionContext, about: Judged): Operation<IterationOutcome> {
  const { end, output, frame, memory, kept, entry, isLast } = about;
  const iteration: Iteration = {
    ...iterationAt(node, context, { end, output, frame }),
    history: () => historyForJudge([...memory.entries, entry], node),
  };
  const inside = { ...context, iteration: frame.number };
  const undone = undoneChanges(memory, kept.tree);
  const mayAsk = memory.knowsUndone || isLast;
  const checking = checkingOf(node, inside, { memory, kept, undone, mayAsk });
  const at = { path: context.path, context: inside, checking };
  const first = yield* testStops(testedOf(node, end), iteration, at);
  const now = { ...at, checking: { ...checking, ...first.kept } };
  const tested = first.verdict === "done" && node.review ? yield* reviewed(first, now, frame.number) : first;
  memory.knowsUndone ||= tested.needsUndone;
  memory.check = tested.check ?? "";
  const { scope } = iterationAt(node, context, { end, output, frame: { ...frame, check: memory.check } });
  const measured = { memory, output, number: frame.number, commit: now.checking.commit, scope };
  // One of several attempts is compared by its final work, so its metric is measured at the end too.
  if (tested.verdict === "go-on" || context.attempt !== undefined) yield* measure(node, context, measured);
  if (tested.verdict !== "go-on") return { status: "completed", tested, scope };
  const idle = countNoProgress(memory, { tree: now.checking.tree, check: memory.check, output });
  const because = whyNoProgress(node, { idle, same: countSameFailure(memory, memory.check) });
  if (because === undefined) return { status: "completed", tested, scope };
  yield* emit({ type: "stop.tested", path: context.path, kind: "no-progress", verdict: "give-up", because });
  const texts = [...tested.texts, because];
  return {
    status: "completed",
    tested: { ...tested, verdict: "give-up", kind: undefined, because, texts },
    scope,
  };
}

/** The stops' verdict after the review: if the reviewer rejects the work, the loop continues. */
function* reviewed(
  tested: StopResult,
  at: Parameters<typeof reviewWork>[0],
  number: number,
): Operation<StopResult> {
  const { verdict, because } = yield* reviewWork(at, number);
  const texts = [...tested.texts, because];
  return verdict === "done" ? { ...tested, texts } : { ...tested, verdict, because, texts, check: because };
}

/** If an exit cut the iteration short, stops that read the output do not judge it. */
const testedOf = ({ stops, mode, againOn }: LoopNode, { exit }: LoopBodyCompleted) => ({
  mode,
  stops: exit !== undefined && exit === againOn ? stops.filter(({ kind }) => kind === "exit-handle") : stops,
});

/** The iteration as stops see it: references can read the body that has just run. */
function iterationAt(
  node: LoopNode,
  context: ExecutionContext,
  { end, output, frame }: Pick<Judged, "end" | "output" | "frame">,
): Iteration {
  const outcome = (id: string) => end.outcomes.get(id) ?? context.outcome(id);
  return {
    number: frame.number,
    loop: node.id,
    raw: end.raw,
    output,
    result: end.result,
    signals: [...(frame.calls?.signals ?? [])],
    exit: end.exit,
    scope: scopeAt({ ...context, outcome, frame }),
  };
}

function remember(
  node: LoopNode,
  memory: LoopState,
  { end, output, kept, entry }: Pick<Judged, "end" | "output" | "kept" | "entry">,
) {
  memory.last = entry;
  if (keepsHistory(node)) memory.entries.push(entry);
  memory.previous = output;
  memory.previousOutcomes = end.outcomes;
  memory.result = end.result;
  memory.session = end.session;
  memory.commit = kept.commit ?? memory.commit;
  if (node.output === "cumulative" || node.accumulate !== undefined) memory.outputs.push(output);
}

const shownOf = ({ commit, diff }: IterationSnapshot, since: string | undefined) =>
  defined({ snapshot: commit, since: commit === undefined ? undefined : since, diff });

/** Runs the shell checks before any agent call; returns the outcome if there is nothing to do. */
export function* testBaseline(
  node: LoopNode,
  context: ExecutionContext,
  memory: LoopState,
): Operation<Outcome | undefined> {
  if (!node.baseline) return undefined;
  const path = iterationOf(context.path, 0);
  const frame = frameOf(node, memory, { number: 0, context });
  const end = {
    status: "completed",
    raw: "",
    result: undefined,
    session: undefined,
    outcomes: new Map(),
  } as const;
  const checks = node.stops.filter(({ kind }) => kind === "until-bash");
  const iteration = iterationAt(node, context, { end, output: "", frame });
  const kept = { commit: memory.base, tree: memory.baseTree } as IterationSnapshot;
  const at = { path, context, checking: checkingOf(node, context, { memory, kept }) };
  const tested = yield* testStops({ stops: checks, mode: "all" }, iteration, at);
  memory.check = tested.check ?? "";
  if (node.progress !== undefined) noteFailure(memory, memory.check);
  if (tested.verdict === "broken") {
    const because = brokenCheck(node.id, tested.because);
    return { status: "failed", output: "", reason: "check-unevaluable", because };
  }
  return tested.verdict === "done" ? { status: "completed", output: "", reason: "nothing-to-do" } : undefined;
}
