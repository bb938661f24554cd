import type { Graph, Node } from "../../plan/plan.ts";
import type { Sequence, TransitionTarget } from "../../plan/sequence.ts";
import { withDeadline } from "../deadline.ts";
import type { ExecutionContext } from "../execution-context.ts";
import { emit, type Operation, parallel } from "../operation.ts";
import { failed, type Outcome } from "../outcome.ts";
import { attemptOf, nodeIn } from "../path.ts";
import { createSequenceState, type SequenceState } from "../sequence-state.ts";
import { asCaughtFailure } from "./exit-routing.ts";
import { neverStartedEvent, notStarted, runGraph, runNode } from "./graph.ts";
import { isFinal } from "./retry.ts";

/** Runs the nodes of a graph by dependency or one after the other. Returns outcomes by id. */
export const runSequence = (
  graph: Graph,
  context: ExecutionContext,
): Operation<ReadonlyMap<string, Outcome>> =>
  graph.walk === undefined ? runGraph(graph, context) : followTransitions(graph, graph.walk, context);

/** A failure's transition may lead back to its origin, but not endlessly. */
const mostVisits = 50;

/** Outcomes are in the order in which the sequence reached their nodes: the last one is the result. */
function* followTransitions(
  graph: Graph,
  sequence: Sequence,
  parent: ExecutionContext,
): Operation<ReadonlyMap<string, Outcome>> {
  const shared = parent.shared ?? createSequenceState();
  const timed = yield* withDeadline(parent, graph.timeoutMs);
  const context: ExecutionContext = { ...timed, shared, outcome: (id) => shared.outputs.get(id) };
  const outcomes = new Map<string, Outcome>();
  const visits = new Map<string, number>();
  const begin = () => runSteps({ graph, sequence, shared }, context, { outcomes, visits });
  // Each node is also a branch after the sequence, which emits the end event if the sequence did not reach the node.
  const leftOut = graph.nodes.map(({ id }) => ({
    id,
    after: [whole],
    begin: () => emitLeftOut(id, outcomes, context),
  }));
  yield* parallel<unknown>({
    atMost: 1,
    branches: [{ id: whole, after: [], begin }, ...leftOut],
    never: (id) => (visits.has(id) ? undefined : neverStartedEvent(context, id, notStarted)),
  });
  return outcomes;
}

/** The branch of the sequence itself: no node has an empty name. */
const whole = "";

interface Steps {
  readonly outcomes: Map<string, Outcome>;
  /** How often each node was reached. */
  readonly visits: Map<string, number>;
}

function* runSteps(
  place: SequenceContext,
  context: ExecutionContext,
  { outcomes, visits }: Steps,
): Operation<void> {
  const { graph, sequence } = place;
  const byId = new Map(graph.nodes.map((node) => [node.id, node]));
  let node = sequence.entry === undefined ? graph.nodes[0] : byId.get(sequence.entry);
  while (node !== undefined) {
    const { id } = node;
    const visit = (visits.get(id) ?? 0) + 1;
    visits.set(id, visit);
    const path = attemptOf(nodeIn(context.path, id), visit === 1 ? 1 : visit * 100);
    const ended =
      visit > mostVisits
        ? failed("node-failed", `the sequence reached ${id} more than ${mostVisits} times`)
        : yield* runNode(node, { graph, ended: outcomes }, { ...context, path });
    const { outcome, next } = nextNode(node, ended, place);
    outcomes.delete(id);
    outcomes.set(id, outcome);
    node = next === undefined ? undefined : byId.get(next);
  }
}

interface SequenceContext {
  readonly graph: Graph;
  readonly sequence: Sequence;
  readonly shared: SequenceState;
}

interface NextNode {
  readonly outcome: Outcome;
  /** The next node. */
  readonly next?: string | undefined;
}

function nextNode(node: Node, outcome: Outcome, { graph, sequence, shared }: SequenceContext): NextNode {
  const transitions = sequence.next?.[node.id];
  if (outcome.status === "failed") {
    if (transitions?.onFailure === undefined || isFinal(outcome)) return { outcome };
    const taken = asCaughtFailure(outcome.because, errorExit);
    shared.outputs.set(node.id, taken);
    return { outcome: taken, next: transitions.onFailure };
  }
  const exit = outcome.status === "completed" ? outcome.exit : undefined;
  if (outcome.status === "completed") shared.outputs.set(node.id, outcome);
  if (exit !== undefined && sequence.leaveOn?.includes(exit)) return { outcome };
  if (sequence.next === undefined) return { outcome, next: graph.nodes[graph.nodes.indexOf(node) + 1]?.id };
  if (exit === errorExit && transitions?.onFailure !== undefined)
    return { outcome, next: transitions.onFailure };
  if (transitions?.byExit === undefined) return { outcome, next: transitions?.to?.node };
  const target = targetOf(transitions.byExit, exit) ?? transitions.otherwise;
  if (target !== undefined) return { outcome, next: target.node };
  const left = exit === undefined ? "without an exit" : `by the exit ${exit}`;
  return { outcome: failed("node-failed", `${node.id} left ${left}, and no transition handles that`) };
}

const errorExit = "error";

const targetOf = (
  byExit: Readonly<Record<string, TransitionTarget>>,
  exit: string | undefined,
): TransitionTarget | undefined =>
  exit !== undefined && Object.hasOwn(byExit, exit) ? byExit[exit] : undefined;

/** The end event of a node that was not reached. */
function* emitLeftOut(
  id: string,
  outcomes: ReadonlyMap<string, Outcome>,
  context: ExecutionContext,
): Operation<void> {
  if (outcomes.has(id)) return;
  const [last = "", end] = [...outcomes].at(-1) ?? [];
  const byFailure = end?.status === "failed";
  const because = byFailure ? `${last} failed, which stops the workflow` : `the sequence ended with ${last}`;
  yield* emit(neverStartedEvent(context, id, { status: "skipped", because, byFailure }));
}
