import type { LoopNode } from "../../plan/plan.ts";
import type { LoopResultNames } from "../../plan/sequence.ts";
import type { Json } from "../../ports/json.ts";
import type { ExecutionContext } from "../execution-context.ts";
import type { Completed, Outcome } from "../outcome.ts";

/**
 * Reserves a loop's names in the memory until it ends. The returned function stores the loop's result and restores
 * the names of an outer loop.
 */
export function openLoopMemory(
  node: LoopNode,
  context: ExecutionContext,
): (outcome: Outcome, iterations: number) => Outcome {
  const memory = context.shared?.memory;
  if (memory === undefined) return (outcome) => outcome;
  const names = [node.counts, node.carry?.as].filter((name) => name !== undefined);
  const entries = names.map((name) => [name, memory.get(name)] as const);
  if (node.carry !== undefined) memory.delete(node.carry.as);
  return (outcome, iterations) => {
    for (const [name, value] of context.frame === undefined ? [] : entries) {
      if (value === undefined) memory.delete(name);
      else memory.set(name, value);
    }
    if (outcome.status !== "completed" || node.ending === undefined) return outcome;
    return endedWith(node.ending, outcome, { iterations, memory });
  };
}

function endedWith(
  { output: [before, after], remark, because }: LoopResultNames,
  { reason = "completed", ...outcome }: Completed,
  { iterations, memory }: { readonly iterations: number; readonly memory: Map<string, Json> },
): Outcome {
  const early = reason !== "iterations-done";
  const values = { iterations, early, because: because[reason] ?? reason };
  const result = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [remark.fields[key] ?? key, value]),
  );
  memory.set(remark.name, result);
  return { ...outcome, reason, output: `${before}${iterations}${after}`, result };
}

/** Stores the number of the iteration that starts. */
export function storeIterationNumber(
  { counts }: LoopNode,
  { shared }: ExecutionContext,
  number: number,
): void {
  if (counts !== undefined) shared?.memory.set(counts, number);
}

/** Passes an iteration's outputs to the next one; drops the oldest entries if all are too long. */
export function updateCarriedContext({ carry }: LoopNode, { shared }: ExecutionContext): void {
  if (carry === undefined || shared === undefined) return;
  const entry = Object.fromEntries(carry.nodes.map((id) => [id, shared.outputs.get(id)?.output ?? null]));
  if (carry.what === "last") {
    shared.memory.set(carry.as, entry);
    return;
  }
  const before = shared.memory.get(carry.as);
  const entries: readonly Json[] = [...(Array.isArray(before) ? before : []), entry];
  shared.memory.set(carry.as, newest(entries, carry.most));
}

function newest(entries: readonly Json[], most: number): readonly Json[] {
  let from = entries.length - 1;
  let left = most - lengthOf(entries[from]);
  while (from > 0) {
    left -= lengthOf(entries[from - 1]);
    if (left < 0) break;
    from -= 1;
  }
  return entries.slice(from);
}

const lengthOf = (entry: Json | undefined) => JSON.stringify(entry ?? null).length;
