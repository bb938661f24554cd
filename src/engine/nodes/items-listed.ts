import type { ForEachNode } from "../../plan/plan.ts";
import type { Json } from "../../ports/json.ts";
import type { Here } from "../here.ts";
import { failed, type Outcome } from "../outcome.ts";
import { iterationOf } from "../path.ts";
import { separator } from "./memory.ts";

interface Items {
  readonly items: readonly Json[];
  /** How the items that began went, by position. */
  readonly ended: ReadonlyMap<string, Outcome>;
}

/** What a for-each comes to whose result lists its iterations; its failure names every item that failed. */
export function listed(node: ForEachNode, here: Here, { items, ended }: Items): Outcome {
  const iterations = items.map((item, index) => {
    const outcome = ended.get(String(index));
    const content = outcome !== undefined && "output" in outcome ? outcome.output : "";
    const id = here.label(iterationOf(here.path, index + 1));
    return { id, index, item, content, status: outcome?.status ?? "cancelled" };
  });
  const done = iterations.flatMap(({ content, status }) => (status === "completed" ? [content] : []));
  const output = node.output === "cumulative" ? done.join(separator) : (done.at(-1) ?? "");
  const failures = [...ended].flatMap(([index, outcome]) =>
    outcome.status === "failed" ? [{ index: Number(index), outcome }] : [],
  );
  const [first] = failures.sort((a, b) => a.index - b.index);
  if (first === undefined) {
    return { status: "completed", output, result: { iterations }, reason: "iterations-done" };
  }
  const told = failures.map(
    ({ index, outcome }) => `item ${index + 1} of ${items.length} failed: ${outcome.because}`,
  );
  const left = items.length - ended.size;
  const because = [...told, ...(left > 0 ? [`${left} never began`] : [])].join("; ");
  return failed(first.outcome.reason, because, output);
}
