import type { Graph, Node, TriggerRule } from "../../src/plan/plan.ts";
import type { Transition } from "../../src/plan/sequence.ts";
import { exitTest, isGate } from "./exit-conditions.ts";
import { reportGap, type WriterPosition } from "./writer-context.ts";

/** A node of a sequence, and its dependencies as a node of a graph. */
export interface InOrder {
  readonly id: string;
  readonly after: readonly string[];
  readonly trigger: TriggerRule;
  /** The CEL condition under which it runs. */
  readonly when?: string | undefined;
  /** Nodes that have ended before it or never run. */
  readonly before: ReadonlySet<string>;
}

/** Nodes one after another; after one that leaves the sequence, no further node runs. */
export function chainOf(
  nodes: readonly Node[],
  leaves: (node: Node) => string | undefined,
): readonly InOrder[] {
  return nodes.map(({ id }, index) => {
    const last = nodes[index - 1];
    const left = last && leaves(last);
    return {
      id,
      after: last === undefined ? [] : [last.id],
      trigger: "all_success",
      when: left === undefined ? undefined : `!(${left})`,
      before: new Set(nodes.slice(0, index).map((node) => node.id)),
    };
  });
}

interface GuardedEdge {
  readonly from: string;
  /** The condition under which it is taken; default always. */
  readonly when?: string | undefined;
}

/** The nodes of a sequence, each after all that lead to it. */
export function orderSequence(
  { nodes, walk: sequence = {} }: Graph,
  position: WriterPosition,
): readonly InOrder[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const edges = new Map<string, GuardedEdge[]>();
  for (const node of nodes) {
    for (const [target, edge] of edgesFrom(node, sequence.next?.[node.id] ?? {}, {
      ...position,
      node: node.id,
    })) {
      edges.set(target, [...(edges.get(target) ?? []), edge]);
    }
  }
  const ordered: InOrder[] = [];
  const visit = (id: string): ReadonlySet<string> => {
    const known = ordered.find((it) => it.id === id);
    if (known !== undefined) return new Set([...known.before, id]);
    const leading = edges.get(id) ?? [];
    const before = new Set(leading.flatMap(({ from }) => [...visit(from)]));
    const [first] = leading;
    const isMerge = leading.length > 1;
    if (isMerge && leading.some(({ when }) => when !== undefined))
      reportGap({ ...position, node: id }, "Several blocks lead to it, some of them only by an exit.");
    ordered.push({
      id,
      after: leading.map(({ from }) => from),
      trigger: isMerge ? "none_failed_min_one_success" : "all_success",
      when: isMerge ? undefined : first?.when,
      before,
    });
    return new Set([...before, id]);
  };
  for (const id of byId.keys()) visit(id);
  return ordered;
}

type From = readonly (readonly [target: string, way: GuardedEdge])[];

function edgesFrom(
  node: Node,
  { to, byExit, otherwise, onFailure }: Transition,
  position: WriterPosition,
): From {
  const from = node.id;
  if (onFailure !== undefined) reportGap(position, "If it fails, another block continues.");
  if (byExit === undefined) return to?.node === undefined ? [] : [[to.node, { from }]];
  const branches = branchesOf(node, byExit, otherwise);
  if (branches === undefined)
    reportGap(position, "Its exit decides what runs next, and CEL cannot express when it takes that exit.");
  const byTarget = new Map<string | undefined, readonly string[]>();
  for (const { target, test } of branches ?? [])
    byTarget.set(target, [...(byTarget.get(target) ?? []), `(${test})`]);
  return [...byTarget].flatMap(([target, tests]): From => {
    if (target === undefined) return [];
    return [[target, byTarget.size === 1 ? { from } : { from, when: tests.join(" || ") }]];
  });
}

interface Branch {
  readonly target: string | undefined;
  readonly test: string;
}

/**
 * The target of each exit of a node and its condition; `undefined` if that cannot be expressed, or one leads nowhere.
 */
function branchesOf(
  node: Node,
  byExit: NonNullable<Transition["byExit"]>,
  otherwise: Transition["otherwise"],
): readonly Branch[] | undefined {
  const exits = Object.entries(byExit);
  const isWhole = isGate(node) && "pass" in byExit && "fail" in byExit;
  if (node.kind !== "agent" || !(isWhole || otherwise)) return undefined;
  const named = exits.flatMap(([exit, { node: target }]) => {
    const test = exitTest({ node }, exit);
    return test === undefined ? [] : [{ target, test }];
  });
  if (named.length < exits.length) return undefined;
  const rest = named.map(({ test }) => `!(${test})`).join(" && ") || "true";
  return isWhole || otherwise === undefined ? named : [...named, { target: otherwise.node, test: rest }];
}
