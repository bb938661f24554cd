import { evaluate } from "../../expr/cel.ts";
import { asJson } from "../../expr/output.ts";
import { renderText } from "../../expr/render.ts";
import type { ForEachNode } from "../../plan/plan.ts";
import type { Json } from "../../ports/json.ts";
import { outOfTime, within } from "../deadline.ts";
import { type Flow, need, tell, together, Unmet } from "../flow.ts";
import type { Frame, Here, Tally } from "../here.ts";
import { historySeparator } from "../loop-values.ts";
import { type Failed, failed, type Outcome } from "../outcome.ts";
import { attemptOf, besides, iterationOf } from "../path.ts";
import { scopeAt } from "../scope.ts";
import { tellBody } from "./body.ts";
import { failureOf } from "./failure.ts";
import { valuesOf } from "./item-values.ts";
import { listed } from "./items-listed.ts";
import { askWorkspace } from "./loop-workspace.ts";
import { separator } from "./memory.ts";
import type { NodeFlow } from "./node.ts";
import { goesOn, waitToRetry } from "./on-error.ts";

export const forEach: NodeFlow<"for-each"> = function* (node, here) {
  const { path } = here;
  const found = itemsOf(node, here);
  const items = found.slice(0, node.max);
  const tally: Tally = { total: items.length, succeeded: 0, failed: 0 };
  yield* tell({ type: "loop.started", path, node: node.id, mode: "for-each", items: items.length });
  if (items.length < found.length) yield* tellLeftOut(path, items.length, found.length);
  yield* tellCapped(node, path, items.length);
  const inside = yield* within(here, node.timeoutMs);
  const ended = yield* together({
    atMost: node.atMost,
    enough: (outcome: Outcome) =>
      outcome.status === "failed" && !goesOn(node.onError) && !(node.finishes && outcome.reason !== "budget"),
    branches: items.map((item, index) => ({
      id: String(index),
      after: [],
      begin: () =>
        tellItem(node, { ...inside, path: iterationOf(path, index + 1) }, { item, number: index + 1, tally }),
    })),
  });
  const all = node.gather === undefined ? gathered(node, items, ended) : listed(node, here, { items, ended });
  const outcome = (yield* lateness(node, inside, { all, ended })) ?? all;
  const { status } = outcome;
  const stop_reason = outcome.status === "failed" ? outcome.reason : "iterations-done";
  yield* tell({ type: "loop.ended", path, node: node.id, status, stop_reason, iterations: ended.size });
  return outcome;
};

interface Gathered {
  readonly all: Outcome;
  readonly ended: ReadonlyMap<string, Outcome>;
}

/** Items that are passed over when they fail must not hide that there was no time for them. */
function* lateness(node: ForEachNode, here: Here, { all, ended }: Gathered): Flow<Failed | undefined> {
  if (node.timeoutMs === undefined || all.status !== "completed") return undefined;
  const isLate = [...ended.values()].some((it) => it.status === "failed" && it.reason === "timeout");
  return isLate ? yield* outOfTime(here, all.output) : undefined;
}

/** Says so where fewer items are at work than the author lets. */
function* tellCapped({ id, atMost, capped }: ForEachNode, path: string, count: number): Flow<void> {
  if (!capped || count <= atMost) return;
  const message = `${id} has ${count} items; at most ${atMost} are at work at a time`;
  yield* tell({ type: "notice", code: "LIMIT", message, path });
}

function itemsOf({ id, items }: ForEachNode, here: Here): readonly Json[] {
  if (items.kind === "list") return items.list;
  if (items.kind === "cel") {
    const result = evaluate(items, scopeAt(here));
    if (!result.ok)
      throw new Unmet("node-failed", `the items of ${id} cannot be evaluated: ${result.because}`);
    if (Array.isArray(result.value)) return result.value;
    throw new Unmet("node-failed", `the items of ${id} are no list`);
  }
  const text = renderText(items.text, scopeAt(here));
  const value = asJson(text);
  if (Array.isArray(value)) return value;
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  return items.values ? valuesOf(id, lines) : lines;
}

interface Item {
  readonly item: Json;
  readonly number: number;
  readonly tally: Tally;
}

const tellLeftOut = (path: string, kept: number, all: number) =>
  tell({ type: "notice", code: "ITEMS_LEFT_OUT", message: `only ${kept} of ${all} items are taken`, path });

function* tellItem(node: ForEachNode, here: Here, { item, number, tally }: Item): Flow<Outcome> {
  const { path } = here;
  if (number > 1 && node.delayMs > 0)
    yield* need("timer", besides(path, "delay"), { ask: { ms: node.delayMs } });
  yield* tell({ type: "iteration.started", path, node: node.id, number, item });
  const inside = yield* within(here, node.eachMs);
  const outcome = yield* isolated(node, inside, { item, number, tally });
  tally[outcome.status === "failed" ? "failed" : "succeeded"] += 1;
  const output = outcome.status === "completed" || outcome.status === "failed" ? outcome.output : "";
  yield* tell({ type: "iteration.ended", path, node: node.id, number, item, output });
  return outcome;
}

/** An item's body, in a checkout of its own where the author asks for one. */
function* isolated(node: ForEachNode, here: Here, item: Item): Flow<Outcome> {
  if (node.isolation === "shared") return yield* attempts(node, here, item);
  if (!here.facts.snapshots)
    return failed("node-failed", `isolation: worktree of ${node.id} needs a git repository`);
  const name = `${node.id}-${item.number}`;
  try {
    const fork = yield* askWorkspace(here, "fork", { op: "fork", name });
    const outcome = yield* attempts(node, { ...here, workspace: fork.path }, item);
    if (outcome.status !== "completed") return outcome;
    const { conflicts = [] } = yield* askWorkspace(here, "join", {
      op: "join",
      name,
      from: fork.commit ?? "",
    });
    if (conflicts.length === 0) return outcome;
    return failed(
      "node-failed",
      `item ${item.number} conflicts with another item in ${conflicts.join(", ")}`,
      outcome.output,
    );
  } catch (error) {
    return failureOf(error);
  }
}

function* attempts(node: ForEachNode, here: Here, { item, number, tally }: Item): Flow<Outcome> {
  const frame: Frame = {
    outer: here.frame,
    loop: node.id,
    number,
    item,
    previous: "",
    previousOutcomes: new Map(),
    userInput: "",
    check: "",
    accumulated: {},
    tally,
  };
  const times = node.onError.mode === "retry" ? node.onError.times : 0;
  for (let attempt = 1; ; attempt++) {
    const inside = { ...here, path: attemptOf(here.path, attempt) };
    const end = yield* tellBody(node.body, inside, { node: node.id, frame, session: undefined });
    if (end.status === "completed") {
      return {
        status: "completed",
        output: end.raw,
        ...(end.result === undefined ? {} : { result: end.result }),
      };
    }
    if (attempt > times || end.reason === "budget") return end;
    yield* tell({ type: "node.retried", path: here.path, attempt: attempt + 1, reason: end.because });
    yield* waitToRetry(node.onError, attemptOf(here.path, attempt + 1));
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
  if (first !== undefined && !goesOn(node.onError)) {
    const because = `item ${first.index + 1} of ${items.length} failed: ${first.outcome.because}`;
    return failed(first.outcome.reason, because, output);
  }
  if (items.length > 0 && outputs.length / items.length < (node.minRate ?? 0)) {
    const because = `only ${outputs.length} of ${items.length} items went well, and ${node.minRate} of them must`;
    return failed("node-failed", because, output);
  }
  return {
    status: "completed",
    output,
    result: outcomes.map((outcome) =>
      outcome?.status === "completed" ? (outcome.result ?? outcome.output) : null,
    ),
    reason: "iterations-done",
    published: {
      [`${node.id}.iteration`]: String(outputs.length),
      ...(node.accumulate === undefined
        ? {}
        : { [node.accumulate]: all, [`${node.id}.history`]: outputs.join(historySeparator) }),
    },
  };
}
