import type { Graph, Node } from "../../plan/plan.ts";
import { failed, type Outcome } from "../outcome.ts";

/**
 * What a graph comes to: its first failure in file order, a loop's before that of any other node; or completed; or
 * skipped where nothing ran.
 */
export function settled({ nodes, walk }: Graph, outcomes: ReadonlyMap<string, Outcome>): Outcome {
  if (walk !== undefined) return lastTold(outcomes);
  const hasFailed = ({ id }: Node) => outcomes.get(id)?.status === "failed";
  const failure = nodes.find((node) => isLoop(node) && hasFailed(node)) ?? nodes.find(hasFailed);
  const outcome = failure && outcomes.get(failure.id);
  if (outcome) return outcome;
  for (const { status } of outcomes.values()) if (status === "completed") return { status, output: "" };
  return { status: "skipped", because: "no node ran: their conditions did not hold", byFailure: false };
}

const isLoop = ({ kind }: Node) => kind === "loop" || kind === "for-each";

/** What a graph hands on: its first failure, else the first output in file order that no other node reads on. */
export function sinkOf(graph: Graph, outcomes: ReadonlyMap<string, Outcome>): Outcome {
  const { nodes, output, walk } = graph;
  if (walk !== undefined) return lastTold(outcomes);
  const end = settled(graph, outcomes);
  if (output === "last") return lastOf(nodes, { outcomes, end });
  if (output !== undefined && end.status !== "failed")
    return resultOf(output.node, outcomes.get(output.node));
  if (end.status !== "completed") return end;
  const read = new Set(nodes.flatMap(({ after }) => after));
  for (const { id } of nodes) {
    const outcome = outcomes.get(id);
    if (!read.has(id) && outcome?.status === "completed" && outcome.output.trim() !== "") return outcome;
  }
  return end;
}

/** What a walk comes to: how the node ended that it came to last. */
const lastTold = (outcomes: ReadonlyMap<string, Outcome>): Outcome =>
  [...outcomes.values()].at(-1) ?? {
    status: "skipped",
    because: "there is no node to begin with",
    byFailure: false,
  };

function resultOf(id: string, outcome: Outcome | undefined): Outcome {
  if (outcome?.status === "completed") return outcome;
  return failed("node-failed", `there is no result: ${id}, whose output it would be, did not run`);
}

/** The last node in file order that completed; a failed graph keeps what that one said. */
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
