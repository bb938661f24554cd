import { renderText } from "../../expressions/render.ts";
import { perform } from "../operation.ts";
import { scopeAt } from "../scope.ts";
import type { NodeOperation } from "./node.ts";
import { outcomeOfProcess, skippedAtLimit } from "./node-outcome.ts";
import { parseProgramOutput, programData } from "./script-data.ts";

const defaultTimeoutMs = 120_000;

export const script: NodeOperation<"script"> = function* (node, context) {
  const scope = scopeAt(context);
  const source =
    "file" in node.source ? node.source : { inline: renderText(node.source.inline, scope, "json") };
  const own = Object.entries(node.env ?? {}).map(([name, text]) => [name, renderText(text, scope)] as const);
  const ask = {
    runtime: node.runtime,
    source,
    deps: node.deps,
    env: { ...scope.environment(), ...Object.fromEntries(own), ...programData(node.data, context) },
    timeoutMs: node.timeoutMs ?? defaultTimeoutMs,
  };
  const answer = yield* perform("script", context.path, { ask, workspace: context.workspace });
  if (node.maySkip && answer.timedOut) return skippedAtLimit;
  return node.prints === "outcome"
    ? parseProgramOutput(answer)
    : outcomeOfProcess(answer, "the script", node.schema);
};
