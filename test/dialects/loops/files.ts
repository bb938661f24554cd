import { readFileSync } from "node:fs";
import { agentNames } from "../../../src/agents/index.ts";
import { compile } from "../../../src/compile/compile.ts";
import { type Props, type Stage, stage } from "../../parts/stage.ts";

/** A file of the page we learned from, by name. */
export const seed = (name: string): string =>
  readFileSync(new URL(`./seeds/${name}.yaml`, import.meta.url), "utf8");

/** A child workflow of one step, whose prompt is this; on one line. */
export const child = (run: string): string => `$schema: workflow/v2.0
name: child
steps:
  - {name: work, run: ${JSON.stringify(run)}}
`;

/** A file with these lines under a head of one line. */
export const file = (...lines: readonly string[]): string => `name: w\n${lines.join("\n")}\n`;

/** A file with one loop that calls `child`, whose fields begin in line 5. */
export const loop = (...fields: readonly string[]): string =>
  file("loops:", "  - name: go", "    workflow: child", ...fields.map((field) => `    ${field}`));

interface Replies {
  /** What the work says, by node and iteration. */
  work?(node: string, iteration: number, prompt: string): ReturnType<NonNullable<Props["agent"]>>;
  /** The iteration from which the condition is met. */
  readonly metAt?: number;
}

/** A run of a file of this language; conditions are met from an iteration on, in the first one by default. */
export function play(
  source: string,
  workflows: Props["workflows"],
  { work, metAt = 1 }: Replies = {},
): Stage {
  return stage(source, {
    ...(workflows === undefined ? {} : { workflows }),
    agent({ role, node, iteration = 0, prompt }) {
      if (role === "evaluator") return iteration >= metAt ? "YES" : "NO";
      return work?.(node, iteration, prompt) ?? `${node} ${iteration}`;
    },
  });
}

/** Everything said about a text, in short: `CODE line:column`, warnings with a `~` before. */
export function diagnosticsOf(
  text: string,
  workflows: Readonly<Record<string, string>> = {},
  texts: Readonly<Record<string, string>> = {},
): readonly string[] {
  const compiled = compile(
    { text, file: "w.yaml" },
    {
      agents: agentNames,
      command: () => undefined,
      text: (path) => texts[path],
      workflow: (name) =>
        Object.hasOwn(workflows, name) ? { file: `${name}.yaml`, text: workflows[name] ?? "" } : undefined,
    },
  );
  const all = compiled.ok ? compiled.warnings : compiled.diagnostics;
  return all.map(({ code, line, column, warning, file: where }) => {
    const place = where === "w.yaml" ? "" : `${where} `;
    return `${warning ? "~" : ""}${code} ${place}${line}:${column}`;
  });
}
