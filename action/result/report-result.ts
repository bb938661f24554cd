import { lstatSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readBranches } from "../../src/api/publishing.ts";
import { messageOf, needsReview, type Summary, truncate } from "../../src/api/runs.ts";
import type { RunnerFiles } from "../job/guard-runner-files.ts";
import type { Job } from "../job/job.ts";
import { annotation } from "../job/workflow-commands.ts";
import { addSummary, type Outputs, setOutputs } from "./outputs.ts";
import type { StepResult } from "./step-result.ts";

/** Reports the step's result everywhere people and later steps look. */
export async function reportResult(ending: StepResult, job: Job, files: RunnerFiles): Promise<void> {
  for (const annotation of ending.annotations) {
    job.log.annotate({ ...annotation, message: job.withoutSecrets(annotation.message) });
  }
  const outputs = await outputsOf(ending, job);
  const { GITHUB_OUTPUT: outputFile, GITHUB_STEP_SUMMARY: summaryFile } = job.env;
  await files.write(async () => {
    if (outputFile) attempt("the outputs", job, () => setOutputs(outputs));
    if (summaryFile)
      await addSummary(job.withoutSecrets(ending.page)).catch((error: unknown) =>
        warn("the job summary", job, error),
      );
  });
}

/** If a write fails, for example on a full disk, reports it; the outputs are still set. */
function attempt(what: string, job: Job, write: () => void): boolean {
  try {
    write();
    return true;
  } catch (error) {
    warn(what, job, error);
    return false;
  }
}

function warn(what: string, job: Job, error: unknown): void {
  const message = job.withoutSecrets(`${what} could not be written: ${messageOf(error)}`);
  job.log.annotate(annotation("warning", message));
}

/** Maximum characters of the final message; a longer one is cut in the middle, and `output-file` has all of it. */
const mostFinalMessage = 64_000;

async function outputsOf(ending: StepResult, job: Job): Promise<Outputs> {
  const { summary } = ending;
  const output = job.withoutSecrets(ending.output ?? "");
  const checkout = await readBranches(ending.cwd ?? job.workspace);
  const { branch = checkout.branch ?? "", commit: head = checkout.head ?? "", pull } = ending.published ?? {};
  const { input_tokens: read = 0, output_tokens: written = 0, cost_usd: cost = 0 } = summary?.usage ?? {};
  return {
    conclusion: ending.conclusion,
    "stop-reason": ending.stopReason,
    "run-id": summary?.run ?? "",
    iterations: String(summary?.iterations ?? 0),
    "final-message": truncate(output, mostFinalMessage),
    ...filesOf(ending, output, job),
    "head-sha": head,
    branch,
    "pull-request-number": String(pull?.number ?? ""),
    "pull-request-url": pull?.url ?? "",
    "comment-id": String(ending.comment ?? ""),
    "cost-usd": String(Number(cost.toFixed(6))),
    "tokens-total": String(read + written),
    "duration-seconds": String(Math.round((summary?.activeMs ?? 0) / 1000)),
    "state-ref": ending.stateRef ?? "",
    "needs-review": String(summary !== undefined && needsReview(summary)),
    "review-reasons": job.withoutSecrets(JSON.stringify(summary?.review?.map(withoutPatch) ?? [])),
    ...ending.outputs,
  };
}

/** The changes are in the report, and may be too long for an output. */
const withoutPatch = (reason: NonNullable<Summary["review"]>[number]) => ({ ...reason, patch: undefined });

/** Writes the report and the complete final message for later steps. */
function filesOf({ summary, page }: StepResult, output: string, job: Job) {
  if (summary === undefined) return {};
  const folder = join(job.folder, summary.run);
  const files = { "output-file": join(folder, "final-message.md"), "report-file": join(folder, "report.md") };
  const isDone = attempt("the report", job, () => {
    for (const each of [job.folder, folder]) if (isOther(each)) rmSync(each);
    mkdirSync(folder, { recursive: true });
    writeAfresh(files["output-file"], output);
    writeAfresh(files["report-file"], job.withoutSecrets(page));
  });
  return isDone ? files : {};
}

const isOther = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === false;

/** An agent may have left a link here that leads to the runner's own files. */
function writeAfresh(path: string, text: string): void {
  rmSync(path, { recursive: true, force: true });
  writeFileSync(path, text, { flag: "wx" });
}
