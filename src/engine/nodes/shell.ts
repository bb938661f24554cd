import type { ShellText } from "../../expressions/template.ts";
import type { ExecutionContext } from "../execution-context.ts";
import { perform } from "../operation.ts";
import { scopeAt } from "../scope.ts";
import type { NodeOperation } from "./node.ts";
import { outcomeOfProcess, skippedAtLimit } from "./node-outcome.ts";

const defaultTimeoutMs = 120_000;

export const shell: NodeOperation<"shell"> = function* (node, context) {
  const ask = {
    role: "node" as const,
    script: node.script.script,
    env: variablesAt(node.script, context),
    timeoutMs: node.timeoutMs ?? defaultTimeoutMs,
  };
  const answer = yield* perform("shell", context.path, { ask, workspace: context.workspace });
  return node.maySkip && answer.timedOut
    ? skippedAtLimit
    : outcomeOfProcess(answer, "the script", node.schema);
};

/** The variables that a shell text references, and the free texts that every shell gets. */
export function variablesAt(
  { variables }: ShellText,
  context: ExecutionContext,
): Readonly<Record<string, string>> {
  const scope = scopeAt(context);
  const read = Object.entries(variables).map(([name, reference]) => [name, scope.text(reference)] as const);
  return { ...scope.environment(), ...Object.fromEntries(read) };
}
