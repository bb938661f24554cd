import type { Graph, Node } from "../../plan/plan.ts";
import type { Target, Walk } from "../../plan/walk.ts";
import { within } from "../deadline.ts";
import { type Flow, tell } from "../flow.ts";
import type { Here } from "../here.ts";
import { failed, type Outcome } from "../outcome.ts";
import { attemptOf, nodeIn } from "../path.ts";
import { openShared, type Shared } from "../shared.ts";
import { isFinal } from "./attempts.ts";
import { caught } from "./exits.ts";
import { tellGraph, tellOne, unbegun } from "./graph.ts";

/** Tells the nodes of a graph as it says: each as soon as it can begin, or one after the other; their outcomes, by id. */
export const tellNodes = (graph: Graph, here: Here): Flow<ReadonlyMap<string, Outcome>> =>
  graph.walk === undefined ? tellGraph(graph, here) : tellWalk(graph, graph.walk, here);

/** A failure's way may lead back to where it came from; not for ever. */
const mostVisits = 50;

/** The outcomes stand in the order of the walk: the last one is what it came to. */
function* tellWalk(graph: Graph, walk: Walk, around: Here): Flow<ReadonlyMap<string, Outcome>> {
  const shared = around.shared ?? openShared();
  const timed = yield* within(around, graph.timeoutMs);
  const here: Here = { ...timed, shared, outcome: (id) => shared.outputs.get(id) };
  const byId = new Map(graph.nodes.map((node) => [node.id, node]));
  const outcomes = new Map<string, Outcome>();
  const visits = new Map<string, number>();
  let node = walk.entry === undefined ? graph.nodes[0] : byId.get(walk.entry);
  while (node !== undefined) {
    const { id } = node;
    const visit = (visits.get(id) ?? 0) + 1;
    visits.set(id, visit);
    const path = attemptOf(nodeIn(here.path, id), visit === 1 ? 1 : visit * 100);
    const told =
      visit > mostVisits
        ? failed("node-failed", `the walk came to ${id} more than ${mostVisits} times`)
        : yield* tellOne(node, { graph, ended: outcomes }, { ...here, path });
    const { outcome, next } = wayOn(node, told, { graph, walk, shared });
    outcomes.delete(id);
    outcomes.set(id, outcome);
    node = next === undefined ? undefined : byId.get(next);
  }
  yield* tellLeftOut(graph, outcomes, here);
  return outcomes;
}

interface Place {
  readonly graph: Graph;
  readonly walk: Walk;
  readonly shared: Shared;
}

interface Way {
  readonly outcome: Outcome;
  /** The node that follows. */
  readonly next?: string | undefined;
}

function wayOn(node: Node, outcome: Outcome, { graph, walk, shared }: Place): Way {
  const ways = walk.next?.[node.id];
  if (outcome.status === "failed") {
    if (ways?.onFailure === undefined || isFinal(outcome)) return { outcome };
    const taken = caught(outcome.because, errorExit);
    shared.outputs.set(node.id, taken);
    return { outcome: taken, next: ways.onFailure };
  }
  const exit = outcome.status === "completed" ? outcome.exit : undefined;
  if (outcome.status === "completed") shared.outputs.set(node.id, outcome);
  if (exit !== undefined && walk.leaveOn?.includes(exit)) return { outcome };
  if (walk.next === undefined) return { outcome, next: graph.nodes[graph.nodes.indexOf(node) + 1]?.id };
  if (exit === errorExit && ways?.onFailure !== undefined) return { outcome, next: ways.onFailure };
  if (ways?.byExit === undefined) return { outcome, next: ways?.to?.node };
  const target = targetOf(ways.byExit, exit) ?? ways.otherwise;
  if (target !== undefined) return { outcome, next: target.node };
  const left = exit === undefined ? "without an exit" : `by the exit ${exit}`;
  return { outcome: failed("node-failed", `${node.id} left ${left}, and no way on is for that`) };
}

const errorExit = "error";

const targetOf = (byExit: Readonly<Record<string, Target>>, exit: string | undefined): Target | undefined =>
  exit !== undefined && Object.hasOwn(byExit, exit) ? byExit[exit] : undefined;

/** The ends of nodes that the walk did not come to. */
function* tellLeftOut(graph: Graph, outcomes: ReadonlyMap<string, Outcome>, here: Here): Flow<void> {
  const [last = "", end] = [...outcomes].at(-1) ?? [];
  const byFailure = end?.status === "failed";
  const because = byFailure ? `${last} failed, which stops the workflow` : `the walk ended with ${last}`;
  for (const { id } of graph.nodes) {
    if (!outcomes.has(id)) yield* tell(unbegun(here, id, { status: "skipped", because, byFailure }));
  }
}
