import { agentNames } from "../../../src/agents/index.ts";
import { compile } from "../../../src/compile/compile.ts";
import type { Files } from "../../../src/dialects/dialect.ts";
import type { Node, Plan } from "../../../src/plan/plan.ts";

/** A repository without command files and workflows. */
export const noFiles: Files = { agents: agentNames, command: () => undefined, workflow: () => undefined };

/** The plan of a text that must compile. */
export function planOf(text: string, files: Files = noFiles): Plan {
  const compiled = compile({ text, file: "w.yml" }, files);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.diagnostics, undefined, 2));
  return compiled.plan;
}

/** The plan's node of this id at the top. */
export function nodeOf(plan: Plan, id: string): Node | undefined {
  return plan.body.nodes.find((node) => node.id === id);
}

/** Everything said about a text, in short: `CODE line:column`, warnings with a `~` before. */
export function diagnosticsOf(text: string, files: Files = noFiles): readonly string[] {
  const compiled = compile({ text, file: "w.yml" }, files);
  const all = compiled.ok ? compiled.warnings : compiled.diagnostics;
  return all.map(({ code, line, column, warning }) => `${warning ? "~" : ""}${code} ${line}:${column}`);
}
