import { completedBy } from "./answer.ts";
import { askAgent } from "./ask.ts";
import type { NodeFlow } from "./node.ts";

export const agent: NodeFlow<"agent"> = function* (node, here) {
  return completedBy(yield* askAgent(node.call, here, { node: node.id }));
};
