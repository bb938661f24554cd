/** True if `target` is upstream of `reader`, directly or indirectly, and so has ended before it starts. */
export type Reach = (reader: string, target: string) => boolean;

interface Step {
  readonly id: string;
  readonly after: readonly string[];
}

/** Answers reachability questions; builds the sets only when asked about more than a direct dependency. */
export function reachOf(nodes: readonly Step[]): Reach {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const index = new Map([...byId.keys()].map((id, position) => [id, position]));
  let sets: ReadonlyMap<string, Uint32Array> | undefined;
  return (reader, target) => {
    if (byId.get(reader)?.after.includes(target)) return true;
    const position = index.get(target);
    if (position === undefined) return false;
    sets ??= upstreamSets(byId, index);
    const set = sets.get(reader);
    if (set === undefined) return byId.has(reader);
    const bits = set[position >>> 5] ?? 0;
    return ((bits >>> (position & 31)) & 1) === 1;
  };
}

/**
 * One bit per upstream node, in the order in which nodes become ready. Nodes after a cycle get none and reach
 * everything.
 */
function upstreamSets(byId: ReadonlyMap<string, Step>, index: ReadonlyMap<string, number>) {
  const sets = new Map<string, Uint32Array>();
  for (const { id, after } of inOrder(byId)) {
    const set = new Uint32Array((index.size + 31) >>> 5);
    for (const parent of after) {
      const position = index.get(parent);
      if (position === undefined) continue;
      set[position >>> 5] = (set[position >>> 5] ?? 0) | (1 << (position & 31));
      include(set, sets.get(parent));
    }
    sets.set(id, set);
  }
  return sets;
}

function include(set: Uint32Array, other: Uint32Array | undefined): void {
  if (other === undefined) return;
  for (let at = 0; at < set.length; at++) set[at] = (set[at] ?? 0) | (other[at] ?? 0);
}

function inOrder(byId: ReadonlyMap<string, Step>): readonly Step[] {
  const waiting = new Map<string, number>();
  const readers = new Map<string, Step[]>();
  for (const node of byId.values()) {
    const known = node.after.filter((id) => byId.has(id));
    waiting.set(node.id, known.length);
    for (const id of known) listOf(readers, id).push(node);
  }
  const order = [...byId.values()].filter((node) => waiting.get(node.id) === 0);
  for (let next = 0; next < order.length; next++) {
    for (const reader of readers.get(order[next]?.id ?? "") ?? []) {
      const left = (waiting.get(reader.id) ?? 0) - 1;
      waiting.set(reader.id, left);
      if (left === 0) order.push(reader);
    }
  }
  return order;
}

function listOf(lists: Map<string, Step[]>, id: string): Step[] {
  const list = lists.get(id) ?? [];
  lists.set(id, list);
  return list;
}
