import { boundScript, renderText } from "../../expressions/render.ts";
import { perform } from "../operation.ts";
import { scopeAt } from "../scope.ts";
import type { NodeOperation } from "./node.ts";
import { outcomeOfProcess, skippedAtLimit } from "./node-outcome.ts";

const defaultTimeoutMs = 120_000;

export const shell: NodeOperation<"shell"> = function* (node, context) {
  const scope = scopeAt(context);
  const bound = boundScript(node.script, scope);
  const own = Object.entries(node.env ?? {}).map(([name, text]) => [name, renderText(text, scope)] as const);
  const ask = {
    role: "node" as const,
    ...bound,
    env: { ...bound.env, ...Object.fromEntries(own) },
    timeoutMs: node.timeoutMs ?? defaultTimeoutMs,
  };
  const answer = yield* perform("shell", context.path, { ask, workspace: context.workspace });
  return node.maySkip && answer.timedOut
    ? skippedAtLimit
    : outcomeOfProcess(answer, "the script", node.schema);
};
