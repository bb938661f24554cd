import type { Graph, Node } from "../../plan/plan.ts";
import { within } from "../deadline.ts";
import { endRun, type Flow, tell, together } from "../flow.ts";
import type { Here } from "../here.ts";
import type { Outcome } from "../outcome.ts";
import { nodeIn } from "../path.ts";
import type { Told } from "../told.ts";
import { attempts, isFinal } from "./attempts.ts";
import { leavingBy } from "./exits.ts";
import { type Settled, whyNotRun } from "./skips.ts";

/** Tells every node of a graph as soon as those it waits for have settled; their outcomes, by id. */
export function* tellGraph(graph: Graph, around: Here): Flow<ReadonlyMap<string, Outcome>> {
  const here = yield* within(around, graph.timeoutMs);
  const lookup = publishedIn(graph);
  const outcomes = yield* together({
    atMost: graph.atMost,
    inOrder: graph.inOrder,
    enough: (outcome: Outcome) => graph.onFailure === "stop" && outcome.status === "failed",
    branches: graph.nodes.map((node) => ({
      id: node.id,
      after: node.after,
      begin: (ended: ReadonlyMap<string, Outcome>) =>
        tellOne(
          node,
          { graph, ended },
          {
            ...here,
            path: nodeIn(here.path, node.id),
            outcome: (id) => ended.get(id) ?? here.outcome(id),
            published: (name) => lookup(node, { name, ended }) ?? here.published(name),
          },
        ),
    })),
    never: (id) => unbegun(here, id, { status: "cancelled", because: "the run ended before it began" }),
  });
  if (outcomes.size < graph.nodes.length) yield* tellUnbegun(graph, outcomes, here);
  return outcomes;
}

/** The ends of nodes that never began since another one failed. */
function* tellUnbegun({ nodes }: Graph, outcomes: ReadonlyMap<string, Outcome>, here: Here): Flow<void> {
  const [failure = "another node"] = [...outcomes].find(([, { status }]) => status === "failed") ?? [];
  const because = `${failure} failed, which stops the workflow`;
  for (const { id } of nodes) {
    if (!outcomes.has(id)) yield* tell(unbegun(here, id, { status: "skipped", because, byFailure: true }));
  }
}

/** The end of a node of this graph that never began. */
export function unbegun(here: Here, id: string, outcome: Outcome): Told {
  const path = nodeIn(here.path, id);
  return { type: "node.ended", path, node: id, label: here.label(path), ...ending(outcome) };
}

/** Finds what a loop upstream published: the nearest one has the word, whichever ended first. */
function publishedIn({ nodes }: Graph) {
  let byId: ReadonlyMap<string, Node> | undefined;
  return (
    { after }: Node,
    { name, ended }: { readonly name: string; readonly ended: ReadonlyMap<string, Outcome> },
  ): string | undefined => {
    byId ??= new Map(nodes.map((node) => [node.id, node]));
    const upstream = new Set(after);
    for (const id of upstream) {
      const published = publishedBy(ended.get(id), name);
      if (published !== undefined) return published;
      for (const further of byId.get(id)?.after ?? []) upstream.add(further);
    }
    return undefined;
  };
}

function publishedBy(outcome: Outcome | undefined, name: string): string | undefined {
  const published = outcome?.status === "completed" ? outcome.published : undefined;
  return published !== undefined && Object.hasOwn(published, name) ? published[name] : undefined;
}

/** Tells a node whose turn has come, from its start to its end. */
export function* tellOne(node: Node, settled: Settled, here: Here): Flow<Outcome> {
  const { path } = here;
  const label = here.label(path);
  const unrun = whyNotRun(node, settled, here);
  if (unrun !== undefined && unrun.status !== "failed") {
    yield* tell({ type: "node.ended", path, node: node.id, label, ...ending(unrun) });
    return unrun;
  }
  yield* tell({ type: "node.started", path, node: node.id, label, kind: node.kind });
  const outcome = leavingBy(node, unrun ?? (yield* attempts(node, here)));
  yield* tell({ type: "node.ended", path, node: node.id, label, ...ending(outcome) });
  if (outcome.status === "cancelled") return yield* endRun(outcome);
  if (outcome.status === "failed" && outcome.reason === "rejected") return yield* endRun(outcome);
  if (outcome.status === "failed" && node.mayFail && !isFinal(outcome)) {
    return { status: "completed", output: "" };
  }
  const aborts = settled.graph.onFailure === "abort";
  if (outcome.status === "failed" && aborts) return yield* endRun(outcome);
  return outcome;
}

function ending(outcome: Outcome) {
  const { status } = outcome;
  if (outcome.status !== "completed") {
    return { status, output: outcome.status === "failed" ? outcome.output : "", reason: outcome.because };
  }
  const { output, result, reason, exit } = outcome;
  return {
    status,
    output,
    ...(result === undefined ? {} : { result }),
    ...(reason ? { reason } : {}),
    ...(exit === undefined ? {} : { exit }),
  };
}
