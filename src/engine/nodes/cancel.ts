import { renderText } from "../../expressions/render.ts";
import { scopeAt } from "../scope.ts";
import type { NodeFlow } from "./node.ts";

// biome-ignore lint/correctness/useYield: it has no effects, and runs like every other node
export const cancel: NodeFlow<"cancel"> = function* (node, here) {
  return { status: "cancelled", because: renderText(node.reason, scopeAt(here)).trim() };
};
