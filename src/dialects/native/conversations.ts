import type { Node } from "../../plan/plan.ts";
import { layersOf } from "./layers.ts";

/** Enough for a few skipped nodes in a row; keeps the plan linear in its nodes. */
const maxCandidates = 10;

/**
 * Lets agent nodes continue a conversation by Archon's rule. Nodes are grouped in layers of equal depth: a layer with
 * one agent node continues the conversation of the last such layer. A layer with several nodes, and a fresh context,
 * start a new one. `contexts` lists the nodes with an explicit setting. Loops have their own conversations.
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
