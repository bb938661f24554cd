import { relative, resolve } from "node:path";
import { env } from "node:process";
import {
  codeBlock,
  inlineCode,
  inMarkdown,
  inMarkdownWithCode,
  planMermaid,
  planText,
} from "../../src/api/github.ts";
import { defined, messageOf, newRunId } from "../../src/api/runs.ts";
import {
  agentNames,
  type Compiled,
  type Diagnostic,
  filesBeside,
  fillInputs,
  findWorkflow,
  inlineLoop,
  loadAndCompile,
  type Plan,
  promptVariable,
  readSource,
  type SourceFile,
} from "../../src/api/workflows.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { type GoalStart, type Job, RefusedError } from "../job/job.ts";
import { annotation } from "../job/workflow-commands.ts";
import type { StepResult } from "../result/step-result.ts";
import { statusOf } from "../run/open-store.ts";
import { driveLocally, type RunRequest } from "../run/start-run.ts";

/**
 * Compiles and runs a workflow or an inline loop; with `dry-run`, shows its plan instead. If a paused run of the same
 * goal must be resumed instead, returns that run.
 */
export async function runWorkflow(
  inputs: Inputs,
  cwd: string,
  job: Job,
): Promise<StepResult | { readonly resumes: string }> {
  const source = sourceOf(inputs, cwd, job);
  const compiled = await compileSource(source, cwd, job);
  if (!compiled.ok) return invalid(compiled.diagnostics);
  const { plan, warnings } = compiled;
  const filled = fillInputs(plan, inputs.inputs);
  if (filled.missing.length > 0) {
    const example = JSON.stringify(Object.fromEntries(filled.missing.map((name) => [name, "…"])));
    throw new RefusedError(`the workflow needs more \`inputs\`: give ${example}`);
  }
  if (inputs["dry-run"])
    return planned(plan, await job.hosting?.forecast?.(plan.name).catch(() => undefined));
  const run = inputs["run-id"] ?? newRunId(plan.name);
  const issue = await job.hosting?.issue?.(plan.name);
  const goal = inputs.item === undefined ? await openGoal({ run, plan, inputs, cwd }, job) : undefined;
  if (goal !== undefined && "resumes" in goal) return goal;
  if (goal !== undefined && "rests" in goal) return rested(plan, goal);
  const ended = await driveLocally(
    { run, plan, warnings, file: source.file, values: filled.inputs, inputs, cwd, goal, issue },
    job,
  );
  if (inputs.message === undefined || ended.stopReason !== "nothing-to-do" || ended.summary?.iterations !== 0)
    return ended;
  return { ...ended, annotations: [...ended.annotations, annotation("notice", unreadText, "message")] };
}

const unreadText =
  "no agent read the `message`: the check was already green, and the workflow has `check: { baseline: true }`. " +
  "To work on it anyway, run a workflow without `baseline`";

/** Events that a person triggers in order to start a job. */
const startedByPeople = ["workflow_dispatch", "repository_dispatch", "issue_comment", "issues"];

/** True if a person requests this run; a constant `message` in scheduled jobs is no request. */
const isAsked = ({ message }: Inputs, job: Job) =>
  message !== undefined && startedByPeople.includes(job.env["GITHUB_EVENT_NAME"] ?? "");

/**
 * The goal that the run works on; `undefined` if it has none. Throws `RefusedError` if its record cannot be read:
 * without it, the run could replace green work, or exceed the budget.
 */
async function openGoal(
  { run, plan, inputs, cwd }: Pick<RunRequest, "run" | "plan" | "inputs" | "cwd">,
  job: Job,
): Promise<GoalStart | undefined> {
  try {
    return await job.hosting?.openGoal?.({
      run,
      plan,
      isAsked: isAsked(inputs, job),
      statusOf: async (other) => await statusOf(other, { cwd, inputs }, job),
      async giveUp(unanswered) {
        const { giveUpRun } = await import("./give-up.ts");
        return await giveUpRun(unanswered, { inputs, cwd }, job);
      },
    });
  } catch (error) {
    if (error instanceof RefusedError) throw error;
    const reason = job.withoutSecrets(messageOf(error));
    const remedy = /not accessible by/.test(reason)
      ? "Give the job `permissions: contents: write, pull-requests: write`"
      : "Re-run this job once that is fixed";
    throw new RefusedError(
      `no agent was called, because the record of earlier runs of this goal cannot be read: ${reason}. ${remedy}`,
    );
  }
}

const rested = (plan: Plan, { rests, published }: Extract<GoalStart, { rests: string }>): StepResult => ({
  conclusion: "skipped",
  stopReason: "nothing-to-do",
  page: [
    `### ⏭️ ${inMarkdown(plan.name)}: nothing to do`,
    `> [!NOTE]\n> **No agent was called:** ${inMarkdownWithCode(rests)}.`,
  ].join("\n\n"),
  annotations: [annotation("notice", `no agent was called: ${rests}`, "skipped")],
  ...defined({ published }),
});

/** Compiles a workflow with the files it uses, and annotates errors. */
export async function compileSource(source: SourceFile, cwd: string, job: Job): Promise<Compiled> {
  const compiled = await loadAndCompile(source, {
    ...filesBeside(source.file, cwd),
    agents: agentNames,
    environment: (name) => promptVariable(env, name),
  });
  for (const diagnostic of diagnosticsOf(compiled)) annotate(diagnostic, cwd, job);
  return compiled;
}

export const diagnosticsOf = (compiled: Compiled): readonly Diagnostic[] =>
  compiled.ok ? compiled.warnings : compiled.diagnostics;

/** The workflow with a name or path; throws if the checkout has none. */
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
      return `- ${place}${inlineCode(code)} ${inMarkdownWithCode(message)}${hint === undefined ? "" : ` ${inMarkdownWithCode(hint)}`}`;
    })
    .join("\n");

const inlineFile = "the inputs of the action";

function sourceOf(inputs: Inputs, cwd: string, job: Job): SourceFile {
  const { workflow, until, protect, "until-bash": untilBash } = inputs;
  if (workflow !== undefined) return workflowOf(workflow, cwd, job);
  const file = inputs["prompt-file"];
  const prompt =
    inputs.prompt ?? (file === undefined ? undefined : readSource(job.within(file, cwd), cwd).text);
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
  const text = hint === undefined ? message : `${message}\n${hint}`;
  job.log.annotate({ level: warning ? "warning" : "error", title: code, message: text, ...place });
}

/** The result of a workflow file with errors. */
export const invalid = (diagnostics: readonly Diagnostic[]): StepResult => ({
  conclusion: "failure",
  stopReason: "internal",
  page: `### ❌ The workflow file is not valid; nothing ran\n\n${diagnosticList(diagnostics)}`,
  annotations: [],
});

const planned = (plan: Plan, forecast: string | undefined): StepResult => ({
  conclusion: "skipped",
  stopReason: "not-selected",
  page: [
    `### ⏭️ ${inMarkdown(plan.name)}: dry run`,
    "> [!NOTE]\n> **Nothing ran.** This is what would run without `dry-run`.",
    ...(forecast === undefined ? [] : [inMarkdownWithCode(forecast)]),
    codeBlock(planText(plan)),
    codeBlock(planMermaid(plan), "mermaid"),
  ].join("\n\n"),
  annotations: [annotation("notice", "A dry run: nothing ran. The plan is in the job summary.", "skipped")],
});
