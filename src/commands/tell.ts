import type { Command } from "./command.ts";

/** Puts a message into a step's inbox; its next agent call reads it. */
export const tell: Command = {
  name: "tell",
  choose(session, { by, text, at, step = "" }) {
    if (session.ended)
      return { refused: "wrong", because: `run ${session.facts.run} has ended; nobody reads on` };
    const steps = stepsOf(session.plan.body);
    if (!steps.includes(step)) {
      return { refused: "wrong", because: `the workflow has no step ${step}; it has ${steps.join(", ")}` };
    }
    return { record: { type: "run.messaged", at, to: step, from: by, text } };
  },
};

type Graph = Parameters<Command["choose"]>[0]["plan"]["body"];

function stepsOf(graph: Graph): readonly string[] {
  return graph.nodes.flatMap((node) =>
    "body" in node && node.body.kind === "graph" ? [node.id, ...stepsOf(node.body)] : [node.id],
  );
}
