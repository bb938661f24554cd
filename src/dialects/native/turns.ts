import type { Node } from "../../plan/plan.ts";
import { layersOf } from "./layers.ts";

const maxPairs = 1_000_000;

/**
 * Read-only nodes run in parallel only with each other. They and the other nodes wait for each other, so that none is
 * blamed for another one's changes.
 */
export function inTurns(nodes: readonly Node[]): readonly Node[] {
  if (nodes.every((node) => node.readOnly !== true)) return nodes;
  const turns = turnsOf(nodes);
  const pairs = turns.reduce((sum, turn, index) => sum + turn.length * (turns[index - 1]?.length ?? 0), 0);
  if (pairs > maxPairs) return nodes;
  const waits = new Map(
    turns.flatMap((turn, index) => turn.map(({ id }) => [id, turns[index - 1] ?? []] as const)),
  );
  return nodes.map((node) => {
    const further = (waits.get(node.id) ?? []).map(({ id }) => id).filter((id) => !node.after.includes(id));
    if (further.length === 0) return node;
    return { ...node, behind: [...new Set([...(node.behind ?? []), ...further])] };
  });
}

/** Groups the nodes that work in the checkout: in each group, either all nodes may change it or none. */
function turnsOf(nodes: readonly Node[]): readonly (readonly Node[])[] {
  const turns: Node[][] = [];
  const waiting = nodes.map((node) => ({
    id: node.id,
    node,
    after: [...node.after, ...(node.behind ?? [])],
  }));
  for (const layer of layersOf(waiting)) {
    const working = layer
      .map(({ node }) => node)
      .filter(({ kind }) => kind !== "approval" && kind !== "cancel");
    for (const isReading of [false, true]) {
      const own = working.filter((node) => (node.readOnly === true) === isReading);
      const last = turns.at(-1);
      if (own.length === 0) continue;
      if (last !== undefined && (last[0]?.readOnly === true) === isReading) last.push(...own);
      else turns.push(own);
    }
  }
  return turns;
}
