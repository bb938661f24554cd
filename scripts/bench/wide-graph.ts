export interface WideGraph {
  readonly workflow: { readonly name: string; readonly nodes: readonly WideNode[] };
  /** The same as YAML. */
  readonly text: string;
}

interface WideNode {
  readonly id: string;
  readonly bash: string;
  readonly depends_on?: readonly string[];
}

/** A workflow of many small bash nodes, most of which depend on two or three earlier ones. */
export function wideGraph(count: number): WideGraph {
  const nodes = Array.from({ length: count }, (_, index): WideNode => {
    const before = [index - 1, Math.floor(index / 2), Math.floor(index / 3)].map((it) => `n${it}`);
    const after = [...new Set(before)];
    return {
      id: `n${index}`,
      bash: "true",
      ...(index % 10 === 0 ? {} : { depends_on: after.filter((id) => id !== `n${index}`) }),
    };
  });
  const lines = nodes.map(({ id, bash, depends_on: after }) =>
    [
      `  - id: ${id}`,
      `    bash: "${bash}"`,
      ...(after === undefined ? [] : [`    depends_on: [${after.join(", ")}]`]),
    ].join("\n"),
  );
  return { workflow: { name: "wide", nodes }, text: `name: wide\nnodes:\n${lines.join("\n")}\n` };
}
