import { relative, resolve } from "node:path";
import {
  type Compiled,
  type Diagnostic,
  fence,
  filesBeside,
  fillInputs,
  findWorkflow,
  inlineCode,
  inlineLoop,
  inMarkdown,
  loadAndCompile,
  type Plan,
  planMermaid,
  planText,
  readSource,
  type SourceFile,
} from "../../src/index.ts";
import { drive } from "../drive/drive.ts";
import type { Ending } from "../ending/ending.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { type Job, RefusedError } from "../job/job.ts";

/** Compiles a workflow, or an inline loop, and drives it; with `dry-run` shows its plan instead. */
export async function runWorkflow(inputs: Inputs, cwd: string, job: Job): Promise<Ending> {
  const source = sourceOf(inputs, cwd, job);
  const compiled = await compileSource(source, cwd, job);
  if (!compiled.ok) return invalid(compiled.diagnostics);
  const { plan } = compiled;
  const given = fillInputs(plan, inputs.inputs);
  if (given.missing.length > 0) {
    const example = JSON.stringify(Object.fromEntries(given.missing.map((name) => [name, "…"])));
    throw new RefusedError(`the workflow needs more \`inputs\`: give ${example}`);
  }
  if (inputs["dry-run"]) return planned(plan);
  return await drive({ plan, file: source.file, given: given.inputs, inputs, cwd }, job);
}

/** Compiles a workflow with the files beside it, and annotates what is wrong with it. */
export async function compileSource(source: SourceFile, cwd: string, job: Job): Promise<Compiled> {
  const compiled = await loadAndCompile(source, filesBeside(source.file, cwd));
  for (const diagnostic of diagnosticsOf(compiled)) annotate(diagnostic, cwd, job);
  return compiled;
}

export const diagnosticsOf = (compiled: Compiled): readonly Diagnostic[] =>
  compiled.ok ? compiled.warnings : compiled.diagnostics;

/** The workflow of a name or path; throws when there is none in the checkout. */
export function workflowOf(name: string, cwd: string, job: Job): SourceFile {
  const source = findWorkflow(name, cwd);
  job.within(source.file, cwd);
  return source;
}

/** A list of diagnostics for the job summary. */
export const diagnosticList = (diagnostics: readonly Diagnostic[]): string =>
  diagnostics
    .map(({ file, line, column, code, message, hint }) => {
      const place = file === inlineFile ? "" : `${inlineCode(`${file}:${line}:${column}`)} `;
      return `- ${place}${inlineCode(code)} ${inMarkdown(message)}${hint === undefined ? "" : ` ${inMarkdown(hint)}`}`;
    })
    .join("\n");

const inlineFile = "the inputs of the action";

function sourceOf(inputs: Inputs, cwd: string, job: Job): SourceFile {
  const { workflow, until, protect, "until-bash": untilBash } = inputs;
  if (workflow !== undefined) return workflowOf(workflow, cwd, job);
  const file = inputs["prompt-file"];
  const prompt = inputs.prompt ?? (file === undefined ? "" : readSource(job.within(file, cwd), cwd).text);
  const { "max-iterations": maxIterations, "fresh-context": freshContext } = inputs;
  return inlineLoop({ prompt, until, untilBash, maxIterations, freshContext, protect }, inlineFile);
}

function annotate(
  { file, line, column, code, message, hint, warning }: Diagnostic,
  cwd: string,
  job: Job,
): void {
  const place =
    file === inlineFile ? {} : { file: relative(job.workspace, resolve(cwd, file)), line, column };
  const said = hint === undefined ? message : `${message}\n${hint}`;
  job.log.annotate({ level: warning ? "warning" : "error", title: code, message: said, ...place });
}

const invalid = (diagnostics: readonly Diagnostic[]): Ending => ({
  conclusion: "failure",
  stopReason: "internal",
  page: `### ❌ The workflow file is not valid; nothing ran\n\n${diagnosticList(diagnostics)}`,
  annotations: [],
});

const planned = (plan: Plan): Ending => ({
  conclusion: "skipped",
  stopReason: "not-selected",
  page: [
    `### ⏭️ ${inMarkdown(plan.name)}: dry run`,
    "> [!NOTE]\n> **Nothing ran.** This is what would run without `dry-run`.",
    fence(planText(plan)),
    fence(planMermaid(plan), "mermaid"),
  ].join("\n\n"),
  annotations: [
    {
      level: "notice",
      title: "until-green: skipped",
      message: "A dry run: nothing ran. The plan is in the job summary.",
    },
  ],
});
