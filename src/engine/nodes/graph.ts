import type { Graph, Node } from "../../plan/plan.ts";
import { defined } from "../../ports/defined.ts";
import { withDeadline } from "../deadline.ts";
import type { ExecutionContext } from "../execution-context.ts";
import { emit, endRun, type Operation, parallel } from "../operation.ts";
import { type Outcome, outputOf } from "../outcome.ts";
import { nodeIn } from "../path.ts";
import type { RunEventBody } from "../run-events.ts";
import { withExit } from "./exit-routing.ts";
import { isFinal, runWithRetries } from "./retry.ts";
import { type SettledNodes, skipReason } from "./skip-rules.ts";

/** Runs each node of a graph once its dependencies have settled. Returns outcomes by id. */
export function* runGraph(graph: Graph, parent: ExecutionContext): Operation<ReadonlyMap<string, Outcome>> {
  const context = yield* withDeadline(parent, graph.timeoutMs);
  const lookup = publishedIn(graph);
  const outcomes = yield* parallel({
    atMost: graph.atMost,
    inOrder: graph.inOrder,
    enough: (outcome: Outcome) => graph.onFailure === "stop" && outcome.status === "failed",
    branches: graph.nodes.map((node) => ({
      id: node.id,
      after: [...node.after, ...(node.behind ?? [])],
      begin(ended: ReadonlyMap<string, Outcome>) {
        const inside: ExecutionContext = {
          ...context,
          path: nodeIn(context.path, node.id),
          outcome: (id) => ended.get(id) ?? context.outcome(id),
          published: (name) => lookup(node, { name, ended }) ?? context.published(name),
        };
        return runNode(node, { graph, ended }, inside);
      },
    })),
    never: (id) => neverStartedEvent(context, id, notStarted),
  });
  if (outcomes.size < graph.nodes.length) yield* emitNotStarted(graph, outcomes, context);
  return outcomes;
}

/** The outcome of a node that the end of the run kept from starting. */
export const notStarted = { status: "cancelled", because: "the run ended before it began" } as const;

/** End events of nodes that never started because another one failed. */
function* emitNotStarted(
  { nodes }: Graph,
  outcomes: ReadonlyMap<string, Outcome>,
  context: ExecutionContext,
): Operation<void> {
  const [failure = "another node"] = [...outcomes].find(([, { status }]) => status === "failed") ?? [];
  const because = `${failure} failed, which stops the workflow`;
  for (const { id } of nodes) {
    if (!outcomes.has(id))
      yield* emit(neverStartedEvent(context, id, { status: "skipped", because, byFailure: true }));
  }
}

/** The end event of a node of this graph that never started. */
export function neverStartedEvent(context: ExecutionContext, id: string, outcome: Outcome): RunEventBody {
  const path = nodeIn(context.path, id);
  return { type: "node.ended", path, node: id, label: context.label(path), ...ending(outcome) };
}

/** Finds what upstream loops published. The nearest loop takes precedence, regardless of which one ended first. */
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

/** Runs a node whose dependencies have settled, from start to end. */
export function* runNode(node: Node, settled: SettledNodes, context: ExecutionContext): Operation<Outcome> {
  const { path } = context;
  const label = context.label(path);
  const unrun = skipReason(node, settled, context);
  if (unrun !== undefined && unrun.status !== "failed") {
    yield* emit({ type: "node.ended", path, node: node.id, label, ...ending(unrun) });
    return unrun;
  }
  yield* emit({ type: "node.started", path, node: node.id, label, kind: node.kind });
  const outcome = withExit(node, unrun ?? (yield* runWithRetries(node, context)));
  yield* emit({ type: "node.ended", path, node: node.id, label, ...ending(outcome) });
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
  if (outcome.status !== "completed") return { status, output: outputOf(outcome), reason: outcome.because };
  const { output, result, reason, exit } = outcome;
  return { status, output, ...defined({ result, reason, exit }) };
}
