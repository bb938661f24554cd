import { renderText } from "../../expr/render.ts";
import { need } from "../flow.ts";
import { scopeAt } from "../scope.ts";
import { endedBy } from "./answer.ts";
import type { NodeFlow } from "./node.ts";
import { printedBy, programData } from "./program.ts";

const defaultTimeoutMs = 120_000;

export const script: NodeFlow<"script"> = function* (node, here) {
  const scope = scopeAt(here);
  const source =
    "file" in node.source ? node.source : { inline: renderText(node.source.inline, scope, "json") };
  const ask = {
    runtime: node.runtime,
    source,
    deps: node.deps,
    env: { ...scope.environment(), ...programData(node.data, here) },
    timeoutMs: node.timeoutMs ?? defaultTimeoutMs,
  };
  const answer = yield* need("script", here.path, { ask, workspace: here.workspace });
  return node.prints === "outcome" ? printedBy(answer) : endedBy(answer, "the script");
};
