import type { Graph, Node } from "./plan.ts";

/** A step that people may send a message to. */
export interface Step {
  readonly id: string;
  /** The steps in it, if it only holds others: then those read messages, not it. */
  readonly parts?: readonly string[] | undefined;
}

/** All steps of a plan, those within a loop before the loop. */
export const stepsOf = (graph: Graph): readonly Step[] =>
  graph.nodes.flatMap((node) => {
    const inner = graphIn(node);
    if (inner === undefined) return [{ id: node.id }];
    return [...stepsOf(inner), { id: node.id, parts: inner.nodes.map(({ id }) => id) }];
  });

const graphIn = (node: Node): Graph | undefined =>
  "body" in node && node.body.kind === "graph" ? node.body : undefined;
