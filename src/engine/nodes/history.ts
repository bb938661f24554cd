import type { LoopNode } from "../../plan/plan.ts";
import { cutAll } from "../cut.ts";
import type { Entry } from "../here.ts";
import type { BodyDone } from "./body.ts";
import { given } from "./sections.ts";

/** What an iteration leaves behind for those that come after it. */
export function entryOf(
  { body }: LoopNode,
  { end, output, number }: { readonly end: BodyDone; readonly output: string; readonly number: number },
): Entry {
  const about = { number, output, result: end.result, judged: "" };
  if (body.kind !== "graph") return { ...about, parts: [{ id: undefined, output, result: end.result }] };
  const parts = body.nodes.flatMap(({ id }) => {
    const outcome = end.outcomes.get(id);
    return outcome?.status === "completed" ? [{ id, output: outcome.output, result: outcome.result }] : [];
  });
  return { ...about, parts };
}

/** Whether a loop must remember more than its last iteration. */
export const keepsHistory = ({ output, stops }: LoopNode): boolean =>
  output === "transcript" || stops.some((stop) => stop.kind === "judge" && stop.sees === "history");

/** The longest history a judge is shown, in bytes. */
const mostForJudge = 100 * 1024;

/** What a judge is shown of a loop: its iterations in order, the longest cut where they are too much together. */
export function historyForJudge(entries: readonly Entry[], { output }: LoopNode): string {
  const by = output === "transcript" ? "node" : "iteration";
  return cutAll(
    entries.map((entry) => historyText([entry], by)),
    mostForJudge,
  ).join("\n\n");
}

/** Iterations in order, each under a heading: every node of the body or its output only, then the judge. */
export function historyText(entries: readonly Entry[], by: "node" | "iteration"): string {
  return entries
    .map(({ number, parts, output, judged }) => {
      const named = by === "node" && parts.some(({ id }) => id !== undefined);
      const shown = named ? parts.map((part) => `### ${part.id}\n${given(part, asIs)}`) : [output];
      const said = judged === "" ? [] : [`### The judge\n${judged}`];
      return [`## Iteration ${number}`, ...shown, ...said].join("\n\n");
    })
    .join("\n\n");
}

const asIs = (text: string) => text;
