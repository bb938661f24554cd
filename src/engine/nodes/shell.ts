import type { ShellText } from "../../expr/text.ts";
import { need } from "../flow.ts";
import type { Here } from "../here.ts";
import { scopeAt } from "../scope.ts";
import { endedBy } from "./answer.ts";
import type { NodeFlow } from "./node.ts";

const defaultTimeoutMs = 120_000;

export const shell: NodeFlow<"shell"> = function* (node, here) {
  const ask = {
    role: "node" as const,
    script: node.script.script,
    env: variablesAt(node.script, here),
    timeoutMs: node.timeoutMs ?? defaultTimeoutMs,
  };
  return endedBy(yield* need("shell", here.path, { ask, workspace: here.workspace }), "the script");
};

/** The variables a shell text reads, and the free text that every shell gets. */
export function variablesAt({ variables }: ShellText, here: Here): Readonly<Record<string, string>> {
  const scope = scopeAt(here);
  const read = Object.entries(variables).map(([name, reference]) => [name, scope.text(reference)] as const);
  return { ...scope.environment(), ...Object.fromEntries(read) };
}
