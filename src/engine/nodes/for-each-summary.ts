import type { ForEachNode } from "../../plan/plan.ts";
import type { Json } from "../../ports/json.ts";
import type { ExecutionContext } from "../execution-context.ts";
import { failed, type Outcome } from "../outcome.ts";
import { iterationOf } from "../path.ts";
import { continuesAfterFailure } from "./failures.ts";
import { separator } from "./loop-state.ts";

interface Items {
  readonly items: readonly Json[];
  /** The outcomes of the items that started, by position. */
  readonly ended: ReadonlyMap<string, Outcome>;
}

/** The outcome of a for-each. Its result lists the items; its failure names every failed one. */
export function summarizeItems(node: ForEachNode, context: ExecutionContext, all: Items): Outcome {
  const { output, result } = node.gather === "outputs" ? outputsOf(all) : iterationsOf(node, context, all);
  const failure =
    node.gather === "outputs" && continuesAfterFailure(node.onError) ? undefined : failureOf(all);
  return failure === undefined
    ? { status: "completed", output, result, reason: "iterations-done" }
    : failed(failure.reason, failure.because, output);
}

interface Listed {
  readonly output: string;
  readonly result: Json;
}

function iterationsOf(node: ForEachNode, context: ExecutionContext, { items, ended }: Items): Listed {
  const iterations = items.map((item, index) => {
    const outcome = ended.get(String(index));
    const content = outcome !== undefined && "output" in outcome ? outcome.output : "";
    const id = context.label(iterationOf(context.path, index + 1));
    return { id, index, item, content, status: outcome?.status ?? "cancelled" };
  });
  const done = iterations.flatMap(({ content, status }) => (status === "completed" ? [content] : []));
  const output = node.output === "cumulative" ? done.join(separator) : (done.at(-1) ?? "");
  return { output, result: { iterations } };
}

/** Every item's output; structured output as a value. */
function outputsOf({ items, ended }: Items): Listed {
  const result = items.map((_, index): Json => {
    const outcome = ended.get(String(index));
    if (outcome?.status === "completed") return outcome.result ?? outcome.output;
    const error = outcome?.status === "failed" ? outcome.because : "it never started";
    return { archon_failed: true, error, status: outcome?.status ?? "cancelled" };
  });
  return { output: JSON.stringify(result), result };
}

function failureOf({ items, ended }: Items) {
  const failures = [...ended]
    .flatMap(([index, outcome]) => (outcome.status === "failed" ? [{ index: Number(index), outcome }] : []))
    .sort((a, b) => a.index - b.index);
  const [first] = failures;
  if (first === undefined) return undefined;
  const lines = failures.map(
    ({ index, outcome }) => `item ${index + 1} of ${items.length} failed: ${outcome.because}`,
  );
  const left = items.length - ended.size;
  return {
    reason: first.outcome.reason,
    because: [...lines, ...(left > 0 ? [`${left} never started`] : [])].join("; "),
  };
}
