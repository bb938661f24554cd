import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cut, readBranches } from "../../src/index.ts";
import type { Job } from "../job/job.ts";
import type { Ending } from "./ending.ts";
import { addSummary, type Outputs, setOutputs } from "./outputs.ts";

/** Says how the step ended, everywhere people and later steps look. */
export async function finish(ending: Ending, job: Job): Promise<void> {
  for (const annotation of ending.annotations) {
    job.log.annotate({ ...annotation, message: job.withoutSecrets(annotation.message) });
  }
  const outputs = await outputsOf(ending, job);
  const { GITHUB_OUTPUT: outputFile, GITHUB_STEP_SUMMARY: summaryFile } = job.env;
  if (outputFile) setOutputs(outputFile, outputs);
  if (summaryFile) addSummary(summaryFile, job.withoutSecrets(ending.page));
}

/** A final message above this many characters is cut in its middle; the whole is in `output-file`. */
const mostFinalMessage = 64_000;

async function outputsOf(ending: Ending, job: Job): Promise<Outputs> {
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
    "final-message": cut(output, mostFinalMessage),
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
  };
}

/** Leaves the report and the whole final message for later steps, to be uploaded or read. */
function filesOf({ summary, page }: Ending, output: string, job: Job) {
  if (summary === undefined) return { "output-file": "", "report-file": "" };
  const folder = join(job.folder, summary.run);
  mkdirSync(folder, { recursive: true });
  const files = { "output-file": join(folder, "final-message.md"), "report-file": join(folder, "report.md") };
  writeFileSync(files["output-file"], output);
  writeFileSync(files["report-file"], job.withoutSecrets(page));
  return files;
}
