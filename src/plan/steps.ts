import type { Graph, Node } from "./plan.ts";

/** A step that people may send a message to. */
export interface Step {
  readonly id: string;
  /** The ids of the steps inside it, if it only groups others: those receive the messages. */
  readonly parts?: readonly string[] | undefined;
}

/** All steps of a plan; those inside a loop come before the loop. */
export const stepsOf = (graph: Graph): readonly Step[] =>
  graph.nodes.flatMap((node) => {
    const inner = graphIn(node);
    if (inner === undefined) return [{ id: node.id }];
    return [...stepsOf(inner), { id: node.id, parts: inner.nodes.map(({ id }) => id) }];
  });

const graphIn = (node: Node): Graph | undefined =>
  "body" in node && node.body.kind === "graph" ? node.body : undefined;
