import type { Node } from "../../plan/plan.ts";

interface Step {
  readonly id: string;
  readonly after: readonly string[];
}

/** The nodes by depth, as Archon runs them. Nodes of a cycle, which is reported separately, are left out. */
export function layersOf<T extends Step>(nodes: readonly T[]): readonly (readonly T[])[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const waiting = new Map(nodes.map(({ id, after }) => [id, new Set(after.filter((it) => byId.has(it)))]));
  const followers = Map.groupBy(
    nodes.flatMap(({ id, after }) => [...new Set(after)].map((one) => ({ id, one }))),
    ({ one }) => one,
  );
  const layers: T[][] = [];
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

/** Whether a node is in an earlier layer than another. Layers are computed on the first question. */
export function earlierIn(nodes: readonly Step[]): (target: string, reader: string) => boolean {
  let depths: ReadonlyMap<string, number> | undefined;
  return (target, reader) => {
    depths ??= new Map(
      layersOf(nodes).flatMap((layer, depth) => layer.map(({ id }) => [id, depth] as const)),
    );
    const [early, late] = [depths.get(target), depths.get(reader)];
    return early !== undefined && late !== undefined && early < late;
  };
}

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
