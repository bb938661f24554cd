import { holds } from "../../expr/condition.ts";
import { UnresolvedError } from "../../expr/scope.ts";
import type { Graph, Node, TriggerRule } from "../../plan/plan.ts";
import { endRun, type Flow, need, tell, together, Unmet } from "../flow.ts";
import type { Here } from "../here.ts";
import { type Failed, failed, type Outcome, type Skipped } from "../outcome.ts";
import { attemptOf, besides, labelOf, nodeIn } from "../path.ts";
import { scopeAt } from "../scope.ts";

/** Tells every node of a graph as soon as those it waits for have settled; their outcomes, by id. */
export function* tellGraph(graph: Graph, here: Here): Flow<ReadonlyMap<string, Outcome>> {
  const lookup = publishedIn(graph);
  return yield* together({
    atMost: graph.atMost,
    branches: graph.nodes.map((node) => ({
      id: node.id,
      after: node.after,
      begin: (ended: ReadonlyMap<string, Outcome>) =>
        tellOne(node, ended, {
          ...here,
          path: nodeIn(here.path, node.id),
          outcome: (id) => ended.get(id) ?? here.outcome(id),
          published: (name) => lookup(node, { name, ended }) ?? here.published(name),
        }),
    })),
    never(id) {
      const path = nodeIn(here.path, id);
      const reason = "the run ended before it began";
      return {
        type: "node.ended",
        path,
        node: id,
        label: labelOf(path),
        status: "cancelled",
        output: "",
        reason,
      };
    },
  });
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

/**
 * What a graph comes to: its first failure in file order, a loop's before that of any other node; or completed; or
 * skipped where nothing ran.
 */
export function settled({ nodes }: Graph, outcomes: ReadonlyMap<string, Outcome>): Outcome {
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
  const { nodes } = graph;
  const end = settled(graph, outcomes);
  if (end.status !== "completed") return end;
  const read = new Set(nodes.flatMap(({ after }) => after));
  for (const { id } of nodes) {
    const outcome = outcomes.get(id);
    if (!read.has(id) && outcome?.status === "completed" && outcome.output.trim() !== "") return outcome;
  }
  return end;
}

function* tellOne(node: Node, ended: ReadonlyMap<string, Outcome>, here: Here): Flow<Outcome> {
  const { path } = here;
  const label = labelOf(path);
  const unrun = whyNotRun(node, ended, here);
  if (unrun?.status === "skipped") {
    yield* tell({ type: "node.ended", path, node: node.id, label, ...ending(unrun) });
    return unrun;
  }
  yield* tell({ type: "node.started", path, node: node.id, label, kind: node.kind });
  const outcome = unrun ?? (yield* attempts(node, here));
  yield* tell({ type: "node.ended", path, node: node.id, label, ...ending(outcome) });
  if (outcome.status === "cancelled") return yield* endRun(outcome);
  if (outcome.status === "failed" && outcome.reason === "rejected") return yield* endRun(outcome);
  return outcome;
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

/** What a flow threw, as the failure of its node; a defect is thrown on. */
export function failureOf(error: unknown): Failed {
  if (error instanceof Unmet) {
    return { ...failed(error.reason, error.message), transient: error.transient };
  }
  if (error instanceof UnresolvedError) return failed("node-failed", error.message);
  throw error;
}

/** Why a node's work is not begun: it is skipped, or its condition cannot even be read. */
function whyNotRun(
  node: Node,
  ended: ReadonlyMap<string, Outcome>,
  here: Here,
): Skipped | Failed | undefined {
  const blocked = triggered(node.trigger, node.after, ended);
  if (blocked) return blocked;
  if (node.when === undefined) return undefined;
  try {
    if (holds(node.when, scopeAt(here))) return undefined;
    return { status: "skipped", because: "its condition does not hold", byFailure: false };
  } catch (error) {
    return failureOf(error);
  }
}

function triggered(
  rule: TriggerRule,
  after: readonly string[],
  ended: ReadonlyMap<string, Outcome>,
): Skipped | undefined {
  if (after.length === 0 || rule === "all_done") return undefined;
  const before = after.map((id) => [id, ended.get(id)] as const);
  const bad = before.find(([, outcome]) => isBad(outcome));
  const done = before.filter(([, outcome]) => outcome?.status === "completed");
  const runs = {
    all_success: done.length === after.length,
    one_success: done.length > 0,
    none_failed_min_one_success: bad === undefined && done.length > 0,
  }[rule];
  if (runs) return undefined;
  const [id, outcome] = bad ?? before.find(([, it]) => it?.status !== "completed") ?? [];
  return {
    status: "skipped",
    because: `${id} ${outcome?.status === "failed" ? "failed" : "did not run"}, and ${rule} asks for more`,
    byFailure: bad !== undefined,
  };
}

/** Failed, or never run because of a failure further up. */
const isBad = (outcome: Outcome | undefined) =>
  outcome === undefined ||
  outcome.status === "failed" ||
  outcome.status === "cancelled" ||
  (outcome.status === "skipped" && outcome.byFailure);
