import type { Graph, Node, TriggerRule } from "../../../plan/plan.ts";
import type { Next } from "../../../plan/walk.ts";
import { lack, type Place } from "./sheet.ts";
import { exitTest, isGate } from "./tests.ts";

/** A node of a walk, and what it waits for where it is one of a graph. */
export interface InOrder {
  readonly id: string;
  readonly after: readonly string[];
  readonly trigger: TriggerRule;
  /** What must hold for it to run, in CEL. */
  readonly when?: string | undefined;
  /** The nodes that are done before it or never run. */
  readonly before: ReadonlySet<string>;
}

/** Nodes one after the other; where one leaves the walk, none of those after it runs. */
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

interface Way {
  readonly from: string;
  /** What must hold for it to be taken; always where absent. */
  readonly when?: string | undefined;
}

/** The nodes of a walk in an order in which each stands behind all that lead to it. */
export function waysIn({ nodes, walk = {} }: Graph, place: Place): readonly InOrder[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const ways = new Map<string, Way[]>();
  for (const node of nodes) {
    for (const [target, way] of waysFrom(node, walk.next?.[node.id] ?? {}, { ...place, node: node.id })) {
      ways.set(target, [...(ways.get(target) ?? []), way]);
    }
  }
  const ordered: InOrder[] = [];
  const visit = (id: string): ReadonlySet<string> => {
    const known = ordered.find((it) => it.id === id);
    if (known !== undefined) return new Set([...known.before, id]);
    const leading = ways.get(id) ?? [];
    const before = new Set(leading.flatMap(({ from }) => [...visit(from)]));
    const [first] = leading;
    const isMerge = leading.length > 1;
    if (isMerge && leading.some(({ when }) => when !== undefined))
      lack({ ...place, node: id }, "Several blocks lead to it, some of them only by an exit.");
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

type From = readonly (readonly [target: string, way: Way])[];

function waysFrom(node: Node, { to, byExit, otherwise, onFailure }: Next, place: Place): From {
  const from = node.id;
  if (onFailure !== undefined) lack(place, "Where it fails another block goes on.");
  if (byExit === undefined) return to?.node === undefined ? [] : [[to.node, { from }]];
  const branches = branchesOf(node, byExit, otherwise);
  if (branches === undefined)
    lack(place, "It leaves by an exit that decides what comes next, which CEL cannot tell.");
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

/** Where a node's exits lead and what tells them; nothing where that cannot be told, or one of them leads nowhere. */
function branchesOf(
  node: Node,
  byExit: NonNullable<Next["byExit"]>,
  otherwise: Next["otherwise"],
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
