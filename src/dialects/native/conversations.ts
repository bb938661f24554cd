import type { Node } from "../../plan/plan.ts";

/** Enough for a few skipped nodes in a row; the plan stays linear in its nodes. */
const maxCandidates = 10;

/**
 * Lets agent nodes continue a conversation by Archon's rule: nodes are taken in layers of equal depth, and a layer of
 * one agent node continues where the last such layer stopped. A layer of several nodes, and a fresh context, start a
 * new one; `contexts` names what a node continues in any case. Loops have conversations of their own.
 */
export function withConversations(
  nodes: readonly Node[],
  contexts: ReadonlyMap<string, readonly string[]>,
): readonly Node[] {
  let before: readonly string[] = [];
  const continues = new Map(contexts);
  for (const layer of layersOf(nodes)) {
    const [node] = layer;
    if (layer.length !== 1 || node === undefined) before = [];
    else if (node.kind === "agent") {
      if (!continues.has(node.id)) continues.set(node.id, before);
      before = [node.id, ...before].slice(0, maxCandidates);
    }
  }
  return nodes.map((node) => {
    const from = node.kind === "agent" ? continues.get(node.id) : undefined;
    return node.kind === "agent" && from !== undefined && from.length > 0
      ? { ...node, call: { ...node.call, continues: from } }
      : node;
  });
}

/** The nodes by depth; those of a cycle, which is a fault of its own, are left out. */
function layersOf(nodes: readonly Node[]): readonly (readonly Node[])[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const waiting = new Map(nodes.map(({ id, after }) => [id, new Set(after.filter((it) => byId.has(it)))]));
  const followers = Map.groupBy(
    nodes.flatMap(({ id, after }) => [...new Set(after)].map((one) => ({ id, one }))),
    ({ one }) => one,
  );
  const layers: Node[][] = [];
  let layer = nodes.filter(({ id }) => waiting.get(id)?.size === 0);
  while (layer.length > 0) {
    layers.push(layer);
    layer = layer.flatMap(({ id }) =>
      (followers.get(id) ?? []).flatMap((follower) => {
        const left = waiting.get(follower.id);
        left?.delete(id);
        const node = left?.size === 0 ? byId.get(follower.id) : undefined;
        return node ?? [];
      }),
    );
  }
  return layers;
}
