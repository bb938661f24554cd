import { completedBy } from "./answer.ts";
import { askAgent } from "./ask.ts";
import { judgedBy } from "./gate.ts";
import type { NodeFlow } from "./node.ts";

export const agent: NodeFlow<"agent"> = function* (node, here) {
  if (node.judges !== undefined) return yield* judgedBy(node, here, node.judges);
  return completedBy(yield* askAgent(node.call, here, { node: node.id }));
};
