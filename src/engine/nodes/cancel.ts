import { renderText } from "../../expressions/render.ts";
import { scopeAt } from "../scope.ts";
import type { NodeOperation } from "./node.ts";

// biome-ignore lint/correctness/useYield: it has no effects, and runs like every other node
export const cancel: NodeOperation<"cancel"> = function* (node, context) {
  return { status: "cancelled", because: renderText(node.reason, scopeAt(context)).trim() };
};
