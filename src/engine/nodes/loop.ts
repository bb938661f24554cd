import { renderText } from "../../expressions/render.ts";
import type { LoopNode } from "../../plan/plan.ts";
import type { ReviewReason } from "../../ports/review-reason.ts";
import { timeLeft, timeoutOutcome, withDeadline } from "../deadline.ts";
import type { ExecutionContext } from "../execution-context.ts";
import { gateText } from "../gate-text.ts";
import { emit, type Operation, perform } from "../operation.ts";
import { failed, type Outcome, reviewIn, stopReasonOf } from "../outcome.ts";
import { iterationOf, sideEffectPath } from "../path.ts";
import { needsApproval, patchOf, reviewText } from "../review-text.ts";
import { openGate, rejectedBy } from "./approval.ts";
import { brokenCheck } from "./check-record.ts";
import { continuesAfterFailure, failureOf } from "./failures.ts";
import { historyText } from "./history.ts";
import { type IterationOutcome, runIteration, testBaseline } from "./iteration.ts";
import { createLoopState, type LoopState, publishedOutputs, separator } from "./loop-state.ts";
import { inspect, keepBest, measureStart, protectsNothing, snapshotBase } from "./loop-workspace.ts";
import type { NodeOperation } from "./node.ts";
import { isFinal } from "./retry.ts";
import { openLoopMemory } from "./sequence-loop-state.ts";

/** A repeating loop: runs its body until a stop, a person, an error or the maximum ends it. */
export const loop: NodeOperation<"loop"> = function* (node, context) {
  const { path } = context;
  yield* emit({ type: "loop.started", path, node: node.id, mode: "repeat", max: node.max });
  const count = { iterations: 0 };
  const closeMemory = openLoopMemory(node, context);
  const ended = yield* runLoop(node, yield* withDeadline(context, node.timeoutMs), count);
  const outcome = closeMemory(ended, count.iterations);
  yield* emit({
    type: "loop.ended",
    path,
    node: node.id,
    status: outcome.status,
    stop_reason: stopReasonOf(outcome),
    ...count,
    ...reviewIn(outcome),
  });
  return outcome;
};

interface Count {
  /** Iterations started so far. */
  iterations: number;
}

function* runLoop(node: LoopNode, context: ExecutionContext, count: Count): Operation<Outcome> {
  const unable = protectsNothing(node, context);
  if (unable) return unable;
  try {
    const memory = createLoopState(yield* snapshotBase(context));
    // Failed checks or open threads of the pull request are a reason to work even if our check passes; so are
    // conflicts in files that it may not read.
    const isOutermost = context.path.split("#").length === (context.attempt === undefined ? 1 : 2);
    const { series, reported } = isOutermost ? context.facts : {};
    const { feedback = reported, conflicts = [] } = series ?? {};
    memory.check = feedback ?? "";
    memory.tools = yield* inspect(node, { ...context, path: iterationOf(context.path, 0) }, memory.base);
    const isAsked = feedback !== undefined || conflicts.length > 0;
    const baseline = isAsked ? undefined : yield* testBaseline(node, context, memory);
    if (baseline) return baseline;
    yield* measureStart(node, { ...context, path: iterationOf(context.path, 0) }, memory);
    const outcome = yield* runIterations(node, context, { memory, count });
    return yield* keepBest(node, context, { memory, outcome });
  } catch (error) {
    return failureOf(error);
  }
}

interface Repeated {
  readonly memory: LoopState;
  readonly count: Count;
}

function* runIterations(
  node: LoopNode,
  context: ExecutionContext,
  { memory, count }: Repeated,
): Operation<Outcome> {
  let { max } = node;
  for (let number = 1; number <= max; number++) {
    count.iterations = number;
    const at = { ...context, path: iterationOf(context.path, number) };
    const ended = yield* iterateOnce(node, at, { number, memory, max });
    if (ended !== undefined) return ended;
    // Feedback is never dropped: at the limit it grants one more iteration.
    if (number === max && memory.userInput !== "") max += 1;
  }
  const late = memory.last?.number === max ? undefined : yield* timeoutOutcome(context, memory.previous);
  if (late) return late;
  if (node.forgetsFailures && memory.last === undefined) {
    const message = `no iteration of loop ${node.id} succeeded`;
    yield* emit({ type: "notice", code: "NO_ITERATION", message, path: context.path });
  }
  return exhausted(node, memory, max);
}

interface IterationLimit {
  readonly number: number;
  readonly memory: LoopState;
  readonly max: number;
}

/** One iteration and what a person decides about it; the loop's outcome if that ends it. */
function* iterateOnce(
  node: LoopNode,
  context: ExecutionContext,
  { number, memory, max }: IterationLimit,
): Operation<Outcome | undefined> {
  if (number > 1 && node.delayMs > 0) {
    const ms = Math.min(node.delayMs, yield* timeLeft(context));
    yield* perform("timer", sideEffectPath(context.path, "delay"), { ask: { ms } });
  }
  const late = yield* timeoutOutcome(context, memory.previous);
  if (late) return late;
  const first = context.attempt?.race.first;
  if (first !== undefined)
    return { status: "skipped", because: `attempt ${first} was green first`, byFailure: false };
  const iteration = yield* runIteration(node, context, { number, memory, isLast: number === max });
  const ended = endedBy(node, iteration, memory);
  const asks = ended !== undefined && needsApproval(ended, context);
  if (ended !== undefined && !asks && !(ended.status === "completed" && waits(node))) return ended;
  if ((node.gate === undefined && !asks) || iteration.status === "failed") return undefined;
  return yield* askApproval(node, context, { iteration, memory, last: number === max });
}

/** If finished work also opens the gate, only the gate can end the loop. */
const waits = ({ gate }: LoopNode) => gate !== undefined && !gate.signalCompletes;

/** The outcome of a loop that this iteration ended; `undefined` if it continues. */
function endedBy(node: LoopNode, round: IterationOutcome, memory: LoopState): Outcome | undefined {
  if (round.status === "failed") {
    return continuesAfterFailure(node.onError) && !isFinal(round) ? undefined : round;
  }
  const { tested } = round;
  switch (tested.verdict) {
    case "done":
      return withReview(completed(node, memory, tested.kind ?? "iterations-done"), tested.review);
    case "give-up":
      return failed(tested.kind ?? "no-progress", `${node.id} gave up: ${tested.because}`, memory.previous);
    case "broken":
      return failed(
        "check-unevaluable",
        tested.kind === "until-bash"
          ? brokenCheck(node.id, tested.because)
          : `the ${tested.kind} of ${node.id} cannot be evaluated: ${tested.because}`,
        memory.previous,
      );
    case "go-on":
      return undefined;
  }
}

const withReview = (outcome: Outcome, review: readonly ReviewReason[]): Outcome =>
  outcome.status === "completed" && review.length > 0 ? { ...outcome, review } : outcome;

function completed(
  node: LoopNode,
  memory: LoopState,
  reason: NonNullable<Extract<Outcome, { status: "completed" }>["reason"]>,
): Outcome {
  const all = memory.outputs.join(separator);
  const outputs = {
    last: memory.previous,
    cumulative: all,
    transcript: historyText(memory.entries, "node"),
  };
  return {
    status: "completed",
    output: outputs[node.output],
    ...(memory.result === undefined ? {} : { result: memory.result }),
    reason,
    published: publishedOutputs(node, memory.last?.number ?? 0, memory.outputs),
  };
}

function exhausted(node: LoopNode, memory: LoopState, max: number): Outcome {
  if (node.onMax === "succeed") return completed(node, memory, "iterations-done");
  const text = memory.texts.length > 0 ? `: ${memory.texts.join("; ")}` : "";
  const times = max === 1 ? "1 iteration" : `${max} iterations`;
  return failed("max-iterations", `${node.id} was not done after ${times}${text}`, memory.previous);
}

interface ReviewedIteration {
  readonly iteration: Extract<IterationOutcome, { status: "completed" }>;
  readonly memory: LoopState;
  /** True if the loop must wait for a person after this iteration. */
  readonly last: boolean;
}

/** Pauses an interactive loop until a person decides; the loop's outcome if that ends it. */
function* askApproval(
  node: LoopNode,
  context: ExecutionContext,
  { iteration, memory, last }: ReviewedIteration,
): Operation<Outcome | undefined> {
  const { review } = iteration.tested;
  const finished = iteration.tested.verdict === "done";
  const asked = node.gate === undefined ? "" : renderText(node.gate.message, iteration.scope);
  const texts = gateText({
    message: [reviewText(review), asked].filter((part) => part !== "").join("\n\n"),
    patch: patchOf(review),
    run: context.facts.run,
    output: memory.previous,
    verdicts: iteration.tested.texts,
    checkVerdicts: iteration.tested.checkTexts,
    printed: iteration.tested.printed,
    note: finished ? finishedNote : last ? lastNote : undefined,
  });
  const { decision, by, text } = yield* openGate(node.id, sideEffectPath(context.path, "gate"), {
    ...texts,
    review,
  });
  if (decision === "reject") return failed("rejected", rejectedBy({ by, text }), memory.previous);
  if (text === "" && finished) return completed(node, memory, "approved");
  // At the limit, only words of a person grant one more iteration.
  memory.userInput = text || (last ? "" : (node.gate?.bare ?? ""));
  return undefined;
}

const finishedNote =
  "The loop says it is done: approve without text to accept it, with text for another iteration.";
const lastNote = "This was the last allowed iteration: approve with feedback to grant one more.";
