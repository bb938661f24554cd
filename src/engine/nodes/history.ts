import type { LoopNode } from "../../plan/plan.ts";
import type { IterationRecord } from "../execution-context.ts";
import { truncateToTotal } from "../truncate.ts";
import type { LoopBodyCompleted } from "./loop-body.ts";
import { outputText } from "./prompt-sections.ts";

/** The record of an iteration for later ones. */
export function entryOf(
  { body }: LoopNode,
  {
    end,
    output,
    number,
  }: { readonly end: LoopBodyCompleted; readonly output: string; readonly number: number },
): IterationRecord {
  const about = { number, output, result: end.result, judged: "" };
  if (body.kind !== "graph") return { ...about, parts: [{ id: undefined, output, result: end.result }] };
  const parts = body.nodes.flatMap(({ id }) => {
    const outcome = end.outcomes.get(id);
    return outcome?.status === "completed" ? [{ id, output: outcome.output, result: outcome.result }] : [];
  });
  return { ...about, parts };
}

/** True if a loop must remember more than its last iteration. */
export const keepsHistory = ({ output, stops }: LoopNode): boolean =>
  output === "transcript" || stops.some((stop) => stop.kind === "judge" && stop.sees === "history");

/** Maximum size of the history shown to a judge, in bytes. */
const mostForJudge = 100 * 1024;

/**
 * The history that a judge is shown: iterations in order. The longest are truncated if they are too large together.
 */
export function historyForJudge(entries: readonly IterationRecord[], { output }: LoopNode): string {
  const by = output === "transcript" ? "node" : "iteration";
  return truncateToTotal(
    entries.map((entry) => historyText([entry], by)),
    mostForJudge,
  ).join("\n\n");
}

/** Iterations in order, each under a heading: every node of the body or only its output, then the judge. */
export function historyText(entries: readonly IterationRecord[], by: "node" | "iteration"): string {
  return entries
    .map(({ number, parts, output, judged }) => {
      const named = by === "node" && parts.some(({ id }) => id !== undefined);
      const shown = named ? parts.map((part) => `### ${part.id}\n${outputText(part, asIs)}`) : [output];
      const texts = judged === "" ? [] : [`### The judge\n${judged}`];
      return [`## Iteration ${number}`, ...shown, ...texts].join("\n\n");
    })
    .join("\n\n");
}

const asIs = (text: string) => text;
