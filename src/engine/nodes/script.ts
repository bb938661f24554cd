import { renderText } from "../../expressions/render.ts";
import { perform } from "../operation.ts";
import { scopeAt } from "../scope.ts";
import type { NodeFlow } from "./node.ts";
import { outcomeOfProcess } from "./node-outcome.ts";
import { parseProgramOutput, programData } from "./script-data.ts";

const defaultTimeoutMs = 120_000;

export const script: NodeFlow<"script"> = function* (node, here) {
  const scope = scopeAt(here);
  const source =
    "file" in node.source ? node.source : { inline: renderText(node.source.inline, scope, "json") };
  const own = Object.entries(node.env ?? {}).map(([name, text]) => [name, renderText(text, scope)] as const);
  const ask = {
    runtime: node.runtime,
    source,
    deps: node.deps,
    env: { ...scope.environment(), ...Object.fromEntries(own), ...programData(node.data, here) },
    timeoutMs: node.timeoutMs ?? defaultTimeoutMs,
  };
  const answer = yield* perform("script", here.path, { ask, workspace: here.workspace });
  return node.prints === "outcome"
    ? parseProgramOutput(answer)
    : outcomeOfProcess(answer, "the script", node.schema);
};
