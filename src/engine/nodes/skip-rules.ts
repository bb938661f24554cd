import { holds } from "../../expressions/condition.ts";
import type { Graph, Node } from "../../plan/plan.ts";
import type { ExecutionContext } from "../execution-context.ts";
import type { Cancelled, Failed, Outcome, Skipped } from "../outcome.ts";
import { scopeAt } from "../scope.ts";
import { failureOf } from "./failures.ts";

/** A graph and the outcomes of the nodes that have ended. */
export interface SettledNodes {
  readonly graph: Graph;
  readonly ended: ReadonlyMap<string, Outcome>;
}

/** Why a node does not run when its turn comes: it is skipped, or its condition cannot be evaluated. */
export function skipReason(
  node: Node,
  settled: SettledNodes,
  context: ExecutionContext,
): Skipped | Failed | Cancelled | undefined {
  const blocked = triggered(node, settled);
  if (blocked) return blocked;
  if (node.when === undefined) return undefined;
  try {
    if (holds(node.when, scopeAt(context))) return undefined;
    return { status: "skipped", because: "its condition is false", byFailure: false };
  } catch (error) {
    return failureOf(error);
  }
}

function triggered(
  { trigger: rule, after }: Node,
  { graph, ended }: SettledNodes,
): Skipped | Cancelled | undefined {
  if (after.length === 0 || rule === "all_done") return undefined;
  const before = after.map((id) => [id, ended.get(id)] as const);
  const bad = before.find(([, outcome]) => isBad(outcome));
  const done = before.filter(([, outcome]) => outcome?.status === "completed");
  const runs = {
    all_success: done.length === after.length,
    one_success: done.length > 0,
    none_failed: bad === undefined,
    none_failed_min_one_success: bad === undefined && done.length > 0,
  }[rule];
  if (runs) return undefined;
  if (bad !== undefined && graph.onFailure === "cancel") {
    return { status: "cancelled", because: `it depends on ${bad[0]}, which did not succeed` };
  }
  const [id, outcome] = bad ?? before.find(([, it]) => it?.status !== "completed") ?? [];
  return {
    status: "skipped",
    because: `${id} ${outcome?.status === "failed" ? "failed" : "did not run"}, and ${rule} requires more`,
    byFailure: bad !== undefined,
  };
}

/** Failed, or never run because of an upstream failure. */
const isBad = (outcome: Outcome | undefined) =>
  outcome === undefined ||
  outcome.status === "failed" ||
  outcome.status === "cancelled" ||
  (outcome.status === "skipped" && outcome.byFailure);
