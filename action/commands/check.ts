import { inlineCode } from "../../src/api/github.ts";
import { type Diagnostic, listWorkflows } from "../../src/api/workflows.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { type Job, RefusedError } from "../job/job.ts";
import type { StepResult } from "../result/step-result.ts";
import { compileSource, diagnosticList, diagnosticsOf, workflowOf } from "./run-workflow.ts";

/** `command: check`: annotates every error in the given workflow, or in all workflows. */
export async function checkWorkflows({ workflow }: Inputs, cwd: string, job: Job): Promise<StepResult> {
  const names = workflow === undefined ? listWorkflows(cwd) : linesOf(workflow);
  if (names.length === 0) {
    throw new RefusedError(
      "no workflow found in .github/loops or .archon/workflows: set the input `workflow`",
    );
  }
  const diagnostics: Diagnostic[] = [];
  for (const name of names)
    diagnostics.push(...diagnosticsOf(await compileSource(workflowOf(name, cwd, job), cwd, job)));
  return verdict(names, diagnostics);
}

const linesOf = (text: string) => text.split("\n").flatMap((line) => line.trim() || []);

function verdict(names: readonly string[], diagnostics: readonly Diagnostic[]): StepResult {
  const isFaulty = diagnostics.some(({ warning }) => !warning);
  const files = names.length === 1 ? "1 workflow file" : `${names.length} workflow files`;
  const head = isFaulty ? `### ❌ Errors in ${files}` : `### ✅ No errors in ${files}`;
  return {
    conclusion: isFaulty ? "failure" : "success",
    stopReason: isFaulty ? "internal" : "completed",
    page: [head, names.map((name) => inlineCode(name)).join(" · "), diagnosticList(diagnostics)]
      .filter((part) => part !== "")
      .join("\n\n"),
    annotations: [],
  };
}
