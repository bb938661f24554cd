import type { Graph, Node } from "../../plan/plan.ts";
import { within } from "../deadline.ts";
import { endRun, type Flow, need, tell, together } from "../flow.ts";
import type { Here } from "../here.ts";
import { type Failed, failed, type Outcome } from "../outcome.ts";
import { attemptOf, besides, nodeIn } from "../path.ts";
import { failureOf } from "./failure.ts";
import { type Settled, whySkipped } from "./skips.ts";

/** Tells every node of a graph as soon as those it waits for have settled; their outcomes, by id. */
export function* tellGraph(graph: Graph, around: Here): Flow<ReadonlyMap<string, Outcome>> {
  const here = yield* within(around, graph.timeoutMs);
  const begun = new Set<string>();
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
          { graph, ended, begun },
          {
            ...here,
            path: nodeIn(here.path, node.id),
            outcome: (id) => ended.get(id) ?? here.outcome(id),
            published: (name) => publishedBy(ended, name) ?? here.published(name),
          },
        ),
    })),
  });
  if (outcomes.size < graph.nodes.length) yield* tellUnbegun(graph, outcomes, here);
  return outcomes;
}

/** The ends of nodes that never began since another one failed. */
function* tellUnbegun({ nodes }: Graph, outcomes: ReadonlyMap<string, Outcome>, here: Here): Flow<void> {
  const [failure] = [...outcomes].find(([, { status }]) => status === "failed") ?? [];
  for (const { id } of nodes) {
    if (outcomes.has(id)) continue;
    const path = nodeIn(here.path, id);
    const because = `${failure ?? "another node"} failed, which stops the workflow`;
    const skipped = ending({ status: "skipped", because, byFailure: true });
    yield* tell({ type: "node.ended", path, node: id, label: here.label(path), ...skipped });
  }
}

function publishedBy(ended: ReadonlyMap<string, Outcome>, name: string): string | undefined {
  for (const outcome of ended.values()) {
    const { published = {} } = outcome.status === "completed" ? outcome : {};
    if (Object.hasOwn(published, name)) return published[name];
  }
  return undefined;
}

/** What a graph comes to: its first failure, or completed, or skipped where nothing ran. */
export function settled(outcomes: ReadonlyMap<string, Outcome>): Outcome {
  const all = [...outcomes.values()];
  const failure = all.find((outcome) => outcome.status === "failed");
  if (failure) return failure;
  if (all.some(({ status }) => status === "completed")) return { status: "completed", output: "" };
  return { status: "skipped", because: "no node ran: their conditions did not hold", byFailure: false };
}

/** What a graph hands on: its first failure, else the first output in file order that no other node reads on. */
export function sinkOf({ nodes, output }: Graph, outcomes: ReadonlyMap<string, Outcome>): Outcome {
  const end = settled(outcomes);
  if (output === "last") return lastOf(nodes, { outcomes, end });
  if (end.status !== "completed") return end;
  if (output !== undefined) return resultOf(output.node, outcomes.get(output.node));
  const read = new Set(nodes.flatMap(({ after }) => after));
  for (const { id } of nodes) {
    const outcome = outcomes.get(id);
    if (!read.has(id) && outcome?.status === "completed" && outcome.output.trim() !== "") return outcome;
  }
  return end;
}

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

interface Among extends Settled {
  /** The nodes that began, or were passed over. */
  readonly begun: Set<string>;
}

function* tellOne(node: Node, among: Among, here: Here): Flow<Outcome> {
  const { path } = here;
  const label = here.label(path);
  among.begun.add(node.id);
  const skip = whySkipped(node, among, here);
  if (skip) {
    yield* tell({ type: "node.ended", path, node: node.id, label, ...ending(skip) });
    return skip;
  }
  yield* tell({ type: "node.started", path, node: node.id, label, kind: node.kind });
  const outcome = yield* attempts(node, here);
  yield* tell({ type: "node.ended", path, node: node.id, label, ...ending(outcome) });
  if (outcome.status === "cancelled") return yield* endRun(outcome);
  if (outcome.status === "failed" && outcome.reason === "rejected") return yield* endRun(outcome);
  if (outcome.status === "failed" && node.mayFail && !final.has(outcome.reason)) {
    return { status: "completed", output: "" };
  }
  if (outcome.status === "failed" && among.graph.onFailure === "abort")
    return yield* abort(outcome, among, here);
  return outcome;
}

/** Ends the run with a failure; what has not begun is cancelled here, what is at work by the end. */
function* abort(outcome: Failed, { graph, begun }: Among, { path, label }: Here): Flow<never> {
  const around = path.slice(0, path.lastIndexOf("/"));
  for (const { id } of graph.nodes.filter((node) => !begun.has(node.id))) {
    const at = nodeIn(around, id);
    const ended = ending({ status: "cancelled", because: outcome.because });
    yield* tell({ type: "node.ended", path: at, node: id, label: label(at), ...ended });
  }
  return yield* endRun(outcome);
}

function ending(outcome: Outcome) {
  const { status } = outcome;
  if (outcome.status !== "completed") {
    return { status, output: outcome.status === "failed" ? outcome.output : "", reason: outcome.because };
  }
  const { output, result, reason } = outcome;
  return { status, output, ...(result === undefined ? {} : { result }), ...(reason ? { reason } : {}) };
}

function* attempts(node: Node, here: Here): Flow<Outcome> {
  const { retry } = node;
  for (let attempt = 1; ; attempt++) {
    const path = attemptOf(here.path, attempt);
    const outcome = yield* attemptAt(node, { ...here, path });
    if (outcome.status !== "failed" || retry === undefined || attempt > retry.times) return outcome;
    if (!mayRetry(outcome, retry.on)) return outcome;
    yield* tell({ type: "node.retried", path: here.path, attempt: attempt + 1, reason: outcome.because });
    if (retry.delayMs > 0) yield* need("timer", besides(path, "delay"), { ask: { ms: retry.delayMs } });
  }
}

const final = new Set(["budget", "rejected", "tampered", "internal"]);

const mayRetry = ({ reason, transient }: Failed, on: "transient" | "all") =>
  !final.has(reason) && (on === "all" || transient === true || reason === "timeout" || reason === "idle");

/** One attempt, with whatever it throws turned into how the node ended. */
function* attemptAt(node: Node, here: Here): Flow<Outcome> {
  try {
    return yield* here.tellNode(node, here);
  } catch (error) {
    return failureOf(error);
  }
}
