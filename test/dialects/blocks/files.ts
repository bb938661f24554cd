import { readFileSync } from "node:fs";
import { agentNames } from "../../../src/agents/index.ts";
import { compile } from "../../../src/compile/compile.ts";
import type { Files } from "../../../src/dialects/dialect.ts";
import type { Plan } from "../../../src/plan/plan.ts";
import { scriptRunner } from "../../../src/processes/script.ts";
import { type Props, type Stage, stage } from "../../parts/stage.ts";

/** A file of the page we learned from, by name. */
export const seed = (name: string): string =>
  readFileSync(new URL(`./seeds/${name}.yaml`, import.meta.url), "utf8");

const souls = ["writer", "critic", "quality_checker"];

/** The souls that the page names and does not show, and other workflows by name. */
export const filesOf = (workflows: Readonly<Record<string, string>> = {}): Files => ({
  agents: agentNames,
  command: () => undefined,
  workflow: (name) =>
    Object.hasOwn(workflows, name) ? { file: `${name}.yaml`, text: workflows[name] ?? "" } : undefined,
  soul(name) {
    if (!souls.includes(name)) return undefined;
    const text = readFileSync(new URL(`./souls/${name}.yaml`, import.meta.url), "utf8");
    return { file: `custom/souls/${name}.yaml`, text };
  },
});

/** The plan of a file; a fault is a failure of the test. */
export function blocksPlan(source: string, workflows: Readonly<Record<string, string>> = {}): Plan {
  const compiled = compile({ text: source, file: "w.yaml" }, filesOf(workflows));
  if (compiled.ok) return compiled.plan;
  throw new Error(
    compiled.diagnostics.map((it) => `${it.line}:${it.column} ${it.code} ${it.message}`).join("\n"),
  );
}

/** Everything said about a text, in short: `CODE line:column`, warnings with a `~` before. */
export function diagnosticsOf(
  text: string,
  workflows: Readonly<Record<string, string>> = {},
): readonly string[] {
  const compiled = compile({ text, file: "w.yaml" }, filesOf(workflows));
  const all = compiled.ok ? compiled.warnings : compiled.diagnostics;
  return all.map(({ code, line, column, warning }) => `${warning ? "~" : ""}${code} ${line}:${column}`);
}

type Reply = ReturnType<NonNullable<Props["agent"]>>;

/** What a node says in an iteration. */
export type Script = (node: string, iteration: number, prompt: string) => Reply;

/** Runs a file to its end, with real programs and an agent that says what the script says. */
export async function run(
  source: string,
  script: Script,
  ...[workflows, facts]: readonly [Readonly<Record<string, string>>?, Props["facts"]?]
): Promise<Stage> {
  const it = stage(blocksPlan(source, workflows), {
    facts: { message: "the task", artifacts: "/tmp", ...facts },
    agent: ({ node, iteration = 0, prompt }) => script(node, iteration, prompt),
  });
  const world = { ...it.world, workspace: process.cwd(), script: scriptRunner(process.env) };
  Object.assign(it.world, world);
  await it.begin();
  return it;
}

/** The last prompt of a node. */
export const promptOf = (it: Stage, node: string): string =>
  it.prompts.findLast((request) => request.node === node)?.prompt ?? "";

/** What nodes gave, in the order in which they ended. */
export const outputsOf = (it: Stage): readonly string[] =>
  it
    .of("node.ended")
    .flatMap(({ path, status, output }) => (status === "completed" ? [`${path}: ${output}`] : []));

/** A file of these blocks, one a line, under a head whose values are YAML on one line. */
export function blocksFile(
  { entry, limits, interface: face, ...more }: Readonly<Record<string, string>>,
  ...blocks: readonly string[]
): string {
  const head = [
    `workflow: { name: w, entry: ${entry}${Object.entries(more)
      .map(([key, value]) => `, ${key}: ${value}`)
      .join("")} }`,
    ...(limits === undefined ? [] : [`limits: ${limits}`]),
    ...(face === undefined ? [] : [`interface: ${face}`]),
  ];
  return [...head, "blocks:", ...blocks, ""].join("\n");
}
