import { renderText } from "../../expr/render.ts";
import { scopeAt } from "../scope.ts";
import type { NodeFlow } from "./node.ts";

// biome-ignore lint/correctness/useYield: it asks nothing, and is told like every other node
export const cancel: NodeFlow<"cancel"> = function* (node, here) {
  return { status: "cancelled", because: renderText(node.reason, scopeAt(here)).trim() };
};
