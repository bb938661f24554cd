import type { LoopNode } from "../../plan/plan.ts";
import { outOfTime, timeLeft, within } from "../deadline.ts";
import { type Flow, need, tell } from "../flow.ts";
import type { Here } from "../here.ts";
import { historySeparator } from "../loop-values.ts";
import { failed, type Outcome } from "../outcome.ts";
import { besides, iterationOf } from "../path.ts";
import { failureOf } from "./failure.ts";
import { historyText } from "./history.ts";
import { askPerson } from "./loop-gate.ts";
import { openLoopMemory } from "./loop-memory.ts";
import { keepBest, protectsNothing, snapshotBase } from "./loop-workspace.ts";
import { type Memory, openMemory, separator } from "./memory.ts";
import type { NodeFlow } from "./node.ts";
import { goesOn } from "./on-error.ts";
import { type Round, tellRound, testBaseline } from "./round.ts";

/** A repeating loop: its body again and again, until a stop, a person, an error or the maximum ends it. */
export const loop: NodeFlow<"loop"> = function* (node, here) {
  const { path } = here;
  yield* tell({ type: "loop.started", path, node: node.id, mode: "repeat", max: node.max });
  const count = { iterations: 0 };
  const closeMemory = openLoopMemory(node, here);
  const ended = yield* tellRounds(node, yield* within(here, node.timeoutMs), count);
  const outcome = closeMemory(ended, count.iterations);
  yield* tell({
    type: "loop.ended",
    path,
    node: node.id,
    status: outcome.status,
    stop_reason: reasonOf(outcome),
    ...count,
  });
  return outcome;
};

const reasonOf = (outcome: Outcome) =>
  outcome.status === "completed" || outcome.status === "failed"
    ? (outcome.reason ?? "completed")
    : "cancelled";

interface Count {
  /** Iterations begun so far. */
  iterations: number;
}

function* tellRounds(node: LoopNode, here: Here, count: Count): Flow<Outcome> {
  const unable = protectsNothing(node, here);
  if (unable) return unable;
  try {
    const memory = openMemory(yield* snapshotBase(here));
    const baseline = yield* testBaseline(node, here, memory);
    if (baseline) return baseline;
    const outcome = yield* tellIterations(node, here, { memory, count });
    return yield* keepBest(node, here, { memory, outcome });
  } catch (error) {
    return failureOf(error);
  }
}

interface Repeated {
  readonly memory: Memory;
  readonly count: Count;
}

function* tellIterations(node: LoopNode, here: Here, { memory, count }: Repeated): Flow<Outcome> {
  let { max } = node;
  for (let number = 1; number <= max; number++) {
    count.iterations = number;
    const at = { ...here, path: iterationOf(here.path, number) };
    const ended = yield* tellIteration(node, at, { number, memory, max });
    if (ended !== undefined) return ended;
    // Feedback is never lost: at the limit it grants one more iteration.
    if (number === max && memory.userInput !== "") max += 1;
  }
  const late = memory.last?.number === max ? undefined : yield* outOfTime(here, memory.previous);
  if (late) return late;
  if (node.forgetsFailures && memory.last === undefined) {
    const message = `no iteration of loop ${node.id} went well`;
    yield* tell({ type: "notice", code: "NO_ITERATION", message, path: here.path });
  }
  return exhausted(node, memory, max);
}

interface At {
  readonly number: number;
  readonly memory: Memory;
  readonly max: number;
}

/** One iteration and what a person says of it; the loop's outcome where that ends it. */
function* tellIteration(node: LoopNode, here: Here, { number, memory, max }: At): Flow<Outcome | undefined> {
  if (number > 1 && node.delayMs > 0) {
    const ms = Math.min(node.delayMs, yield* timeLeft(here));
    yield* need("timer", besides(here.path, "delay"), { ask: { ms } });
  }
  const late = yield* outOfTime(here, memory.previous);
  if (late) return late;
  const round = yield* tellRound(node, here, { number, memory });
  const ended = endedBy(node, round, memory);
  if (ended !== undefined && !(ended.status === "completed" && waits(node))) return ended;
  if (node.gate === undefined || round.status === "failed") return undefined;
  const said = yield* askPerson(node, here, { round, memory, last: number === max });
  if (said.next === "reject") return said.outcome;
  if (said.next === "accept") return completed(node, memory, "approved");
  memory.userInput = said.text;
  return undefined;
}

/** A gate that also shows finished work lets no stop end the loop by itself. */
const waits = ({ gate }: LoopNode) => gate !== undefined && !gate.signalCompletes;

const fatal = new Set(["budget", "rejected", "tampered", "internal"]);

/** How an iteration ended its loop, if it did. */
function endedBy(node: LoopNode, round: Round, memory: Memory): Outcome | undefined {
  if (round.status === "failed") {
    return goesOn(node.onError) && !fatal.has(round.reason) ? undefined : round;
  }
  const { tested } = round;
  switch (tested.verdict) {
    case "done":
      return completed(node, memory, tested.kind ?? "iterations-done");
    case "give-up":
      return failed(
        tested.kind === "fail-signal" ? "fail-signal" : "no-progress",
        `loop ${node.id} gave up: ${tested.because}`,
        memory.previous,
      );
    case "broken":
      return failed(
        "check-unevaluable",
        `the ${tested.kind} of loop ${node.id} cannot be evaluated: ${tested.because}`,
        memory.previous,
      );
    case "go-on":
      return undefined;
  }
}

function completed(
  node: LoopNode,
  memory: Memory,
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
    published: {
      [`${node.id}.iteration`]: String(memory.last?.number ?? 0),
      ...(node.accumulate === undefined
        ? {}
        : { [node.accumulate]: all, [`${node.id}.history`]: memory.outputs.join(historySeparator) }),
    },
  };
}

function exhausted(node: LoopNode, memory: Memory, max: number): Outcome {
  if (node.onMax === "succeed") return completed(node, memory, "iterations-done");
  const said = memory.said.length > 0 ? `: ${memory.said.join("; ")}` : "";
  const times = max === 1 ? "1 iteration" : `${max} iterations`;
  return failed("max-iterations", `loop ${node.id} was not done after ${times}${said}`, memory.previous);
}
