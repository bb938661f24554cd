import type { ForEachNode } from "../../plan/plan.ts";
import { defined } from "../../ports/defined.ts";
import type { Json } from "../../ports/json.ts";
import { timeoutOutcome, withDeadline } from "../deadline.ts";
import type { Diff } from "../event-parts.ts";
import type { ExecutionContext, Tally } from "../execution-context.ts";
import { emit, type Operation, parallel, perform } from "../operation.ts";
import { type Failed, failed, type Outcome, outputOf } from "../outcome.ts";
import { attemptOf, iterationOf, sideEffectPath } from "../path.ts";
import { runAttempts } from "./attempts.ts";
import { continuesAfterFailure, failureOf, waitToRetry } from "./failures.ts";
import { summarizeItems } from "./for-each-summary.ts";
import { itemsOf } from "./items.ts";
import { emptyFrame, runLoopBody } from "./loop-body.ts";
import { publishedOutputs, separator } from "./loop-state.ts";
import { askWorkspace } from "./loop-workspace.ts";
import type { NodeOperation } from "./node.ts";

export const forEach: NodeOperation<"for-each"> = function* (node, context) {
  const { attempts: several } = node;
  if (several !== undefined) return yield* runAttempts({ ...node, attempts: several }, context);
  const { path } = context;
  const list = yield* itemsOf(node, context);
  const items = list.slice(0, node.max);
  const tally: Tally = { total: items.length, succeeded: 0, failed: 0 };
  const writers = new Map<string, number>();
  yield* emit({ type: "loop.started", path, node: node.id, mode: "for-each", items: items.length });
  if (items.length < list.length) yield* emitLeftOut(path, items.length, list.length);
  yield* runCapped(node, path, items.length);
  const inside = yield* withDeadline(context, node.timeoutMs);
  const ended = yield* parallel({
    atMost: node.atMost,
    enough: (outcome: Outcome) =>
      outcome.status === "failed" &&
      !continuesAfterFailure(node.onError) &&
      !(node.finishes && outcome.reason !== "budget"),
    branches: items.map((item, index) => ({
      id: String(index),
      after: [],
      begin: () => runItem(node, inside, { item, number: index + 1, tally, writers }),
    })),
  });
  const all =
    node.gather === undefined
      ? gathered(node, items, ended)
      : summarizeItems(node, context, { items, ended });
  const outcome = (yield* timeLimitFailure(node, inside, { all, ended })) ?? all;
  const { status } = outcome;
  const stop_reason = outcome.status === "failed" ? outcome.reason : "iterations-done";
  yield* emit({ type: "loop.ended", path, node: node.id, status, stop_reason, iterations: ended.size });
  return outcome;
};

interface Gathered {
  readonly all: Outcome;
  readonly ended: ReadonlyMap<string, Outcome>;
}

/** Fails if time ran out for an item: skipping failed items must not hide that. */
function* timeLimitFailure(
  node: ForEachNode,
  context: ExecutionContext,
  { all, ended }: Gathered,
): Operation<Failed | undefined> {
  if (node.timeoutMs === undefined || all.status !== "completed") return undefined;
  const isLate = [...ended.values()].some((it) => it.status === "failed" && it.reason === "timeout");
  return isLate ? yield* timeoutOutcome(context, all.output) : undefined;
}

/** Emits a notice that fewer items run in parallel than the author allows. */
function* runCapped({ id, atMost, capped }: ForEachNode, path: string, count: number): Operation<void> {
  if (!capped || count <= atMost) return;
  const message = `${id} has ${count} items; at most ${atMost} run at a time`;
  yield* emit({ type: "notice", code: "LIMIT", message, path });
}

interface Item {
  readonly item: Json;
  readonly number: number;
  readonly tally: Tally;
  /** For each path, the joined item that changed it last. */
  readonly writers: Map<string, number>;
}

const emitLeftOut = (path: string, kept: number, all: number) =>
  emit({ type: "notice", code: "ITEMS_LEFT_OUT", message: `only ${kept} of ${all} items are used`, path });

function* runItem(node: ForEachNode, loop: ExecutionContext, each: Item): Operation<Outcome> {
  const { item, number, tally } = each;
  const path = iterationOf(loop.path, number);
  if (number > 1 && node.delayMs > 0)
    yield* perform("timer", sideEffectPath(path, "delay"), { ask: { ms: node.delayMs } });
  yield* emit({ type: "iteration.started", path, node: node.id, number, item });
  const inside = yield* withDeadline({ ...loop, path }, node.eachMs);
  const { conflict, ...outcome } = yield* isolated(node, inside, each);
  tally[outcome.status === "failed" ? "failed" : "succeeded"] += 1;
  const ended = { output: outputOf(outcome), ...defined({ conflict }) };
  yield* emit({ type: "iteration.ended", path, node: node.id, number, item, ...ended });
  return outcome;
}

/** An item's body, in its own checkout if the author asks for one. */
function* isolated(
  node: ForEachNode,
  context: ExecutionContext,
  item: Item,
): Operation<Outcome & { readonly conflict?: string }> {
  if (node.isolation === "shared") return yield* attempts(node, context, item);
  if (!context.facts.snapshots)
    return failed("node-failed", `isolation: worktree of ${node.id} needs a git repository`);
  const name = `${node.id}-${item.number}`;
  try {
    const fork = yield* askWorkspace(context, "fork", { op: "fork", name });
    const outcome = yield* attempts(node, { ...context, workspace: fork.path }, item);
    if (outcome.status !== "completed") return outcome;
    const { conflicts = [], diff } = yield* askWorkspace(context, "join", {
      op: "join",
      name,
      from: fork.commit ?? "",
    });
    const others = joined(item, diff, conflicts);
    if (conflicts.length === 0) return outcome;
    const message = `item ${item.number} conflicts with ${others} in ${conflicts.join(", ")}`;
    return { ...failed("node-failed", message, outcome.output), conflict: message };
  } catch (error) {
    return failureOf(error);
  }
}

/** Records what a joined item changed, and names the earlier items that changed the same paths. */
function joined({ number, writers }: Item, diff: Diff | undefined, conflicts: readonly string[]): string {
  const others = new Set(conflicts.flatMap((path) => writers.get(path) ?? []));
  if (conflicts.length === 0) for (const path of diff?.paths ?? []) writers.set(path, number);
  return others.size === 0 ? "another item" : [...others].map((other) => `item ${other}`).join(", ");
}

function* attempts(
  node: ForEachNode,
  context: ExecutionContext,
  { item, number, tally }: Item,
): Operation<Outcome> {
  const frame = { ...emptyFrame(node.id, number, context), item, tally };
  const times = node.onError.mode === "retry" ? node.onError.times : 0;
  for (let attempt = 1; ; attempt++) {
    const inside = { ...context, path: attemptOf(context.path, attempt) };
    const end = yield* runLoopBody(node.body, inside, { node: node.id, frame, session: undefined });
    if (end.status === "completed")
      return { status: "completed", output: end.raw, ...defined({ result: end.result }) };
    if (attempt > times || end.reason === "budget") return end;
    yield* emit({ type: "node.retried", path: context.path, attempt: attempt + 1, reason: end.because });
    yield* waitToRetry(node.onError, attemptOf(context.path, attempt + 1));
  }
}

function gathered(node: ForEachNode, items: readonly Json[], ended: ReadonlyMap<string, Outcome>): Outcome {
  const outcomes = items.map((_, index) => ended.get(String(index)));
  const failures = outcomes.flatMap((outcome, index) =>
    outcome?.status === "failed" ? [{ outcome, index }] : [],
  );
  const outputs = outcomes.flatMap((outcome) => (outcome?.status === "completed" ? [outcome.output] : []));
  const all = outputs.join(separator);
  const output = node.output === "cumulative" ? all : (outputs.at(-1) ?? "");
  const [first] = failures;
  if (first !== undefined && !continuesAfterFailure(node.onError)) {
    const message = `item ${first.index + 1} of ${items.length} failed: ${first.outcome.because}`;
    return failed(first.outcome.reason, message, output);
  }
  if (items.length > 0 && outputs.length / items.length < (node.minRate ?? 0)) {
    const message = `only ${outputs.length} of ${items.length} items succeeded, and the required share is ${node.minRate}`;
    return failed("node-failed", message, output);
  }
  return {
    status: "completed",
    output,
    result: outcomes.map((outcome) =>
      outcome?.status === "completed" ? (outcome.result ?? outcome.output) : null,
    ),
    reason: "iterations-done",
    published: {
      ...publishedOutputs(node, outputs.length, outputs),
      [`${node.id}.items`]: String(items.length),
      [`${node.id}.succeeded`]: String(outputs.length),
      [`${node.id}.failed`]: String(failures.length),
    },
  };
}
