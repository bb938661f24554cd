import type { Graph, Node } from "../../plan/plan.ts";
import { failed, type Outcome } from "../outcome.ts";

/**
 * Outcomes that count as the graph's own: its first failure in file order, a loop's before any other node's; else
 * completed; else skipped if nothing ran.
 */
export function effectiveOutcomes(
  { nodes, walk: sequence }: Graph,
  outcomes: ReadonlyMap<string, Outcome>,
): Outcome {
  if (sequence !== undefined) return lastOutcome(outcomes);
  const hasFailed = ({ id }: Node) => outcomes.get(id)?.status === "failed";
  const failure = nodes.find((node) => isLoop(node) && hasFailed(node)) ?? nodes.find(hasFailed);
  const outcome = failure && outcomes.get(failure.id);
  if (outcome) return outcome;
  for (const { status } of outcomes.values()) if (status === "completed") return { status, output: "" };
  return { status: "skipped", because: "no node ran: their conditions were false", byFailure: false };
}

const isLoop = ({ kind }: Node) => kind === "loop" || kind === "for-each";

/** What a graph returns: its first failure, else the first output in file order that no other node reads. */
export function graphOutcome(graph: Graph, outcomes: ReadonlyMap<string, Outcome>): Outcome {
  const { nodes, output, walk: sequence } = graph;
  if (sequence !== undefined) return lastOutcome(outcomes);
  const end = effectiveOutcomes(graph, outcomes);
  if (output === "last") return lastOf(nodes, { outcomes, end });
  const isOptional = output?.ifRun === true && outcomes.get(output.node)?.status !== "completed";
  if (output !== undefined && end.status !== "failed" && !isOptional)
    return resultOf(output.node, outcomes.get(output.node));
  if (end.status !== "completed") return end;
  const read = new Set(nodes.flatMap(({ after }) => after));
  for (const { id } of nodes) {
    const outcome = outcomes.get(id);
    if (!read.has(id) && outcome?.status === "completed" && outcome.output.trim() !== "") return outcome;
  }
  return end;
}

/** The outcome of a sequence: that of the last node it reached. */
const lastOutcome = (outcomes: ReadonlyMap<string, Outcome>): Outcome =>
  [...outcomes.values()].at(-1) ?? {
    status: "skipped",
    because: "there is no first node",
    byFailure: false,
  };

function resultOf(id: string, outcome: Outcome | undefined): Outcome {
  if (outcome?.status === "completed") return outcome;
  return failed("node-failed", `there is no result: ${id}, which provides it, did not run`);
}

/** The last completed node in file order; a failed graph keeps that output. */
function lastOf(
  nodes: Graph["nodes"],
  { outcomes, end }: { readonly outcomes: ReadonlyMap<string, Outcome>; readonly end: Outcome },
): Outcome {
  const completed = nodes.flatMap(({ id }) => {
    const outcome = outcomes.get(id);
    return outcome?.status === "completed" ? [outcome] : [];
  });
  const last = completed.at(-1);
  if (end.status === "failed") return { ...end, output: last?.output ?? "" };
  return last ?? end;
}
