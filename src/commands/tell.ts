import { stepNamed } from "../engine/label.ts";
import type { Command } from "./command.ts";

/** Puts a message into a step's inbox; its next agent call reads it. */
export const tell: Command = {
  name: "tell",
  choose(session, { by, text, at, step = "" }) {
    if (session.ended)
      return { refused: "wrong", because: `run ${session.facts.run} has ended; nobody reads on` };
    const steps = stepsOf(session.plan.body);
    const node = steps.find(({ id }) => id === step) ?? steps.find(({ id }) => id === stepNamed(step));
    if (node === undefined) {
      const ids = steps.map(({ id }) => id).join(", ");
      return { refused: "wrong", because: `the workflow has no step ${step}; it has ${ids}` };
    }
    if (node.id === step && "body" in node && node.body.kind === "graph") {
      const inner = node.body.nodes.map(({ id }) => id).join(", ");
      return { refused: "wrong", because: `${step} reads nothing itself: name a step in it: ${inner}` };
    }
    return { record: { type: "run.messaged", at, to: step, from: by, text } };
  },
};

type Graph = Parameters<Command["choose"]>[0]["plan"]["body"];

function stepsOf(graph: Graph): readonly Graph["nodes"][number][] {
  return graph.nodes.flatMap((node) =>
    "body" in node && node.body.kind === "graph" ? [...stepsOf(node.body), node] : [node],
  );
}
