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
