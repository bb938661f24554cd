import { inMarkdownWithCode, sweep } from "../../src/api/github.ts";
import { siteOf } from "../github/issue-ops.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { type Job, RefusedError } from "../job/job.ts";
import { annotation } from "../job/workflow-commands.ts";
import type { StepResult } from "../result/step-result.ts";

/** `command: sweep`: repairs this repository's runs after lost webhooks and dead jobs. */
export async function sweepRuns(inputs: Inputs, job: Job): Promise<StepResult> {
  const site = siteOf(inputs, job);
  if (site === undefined)
    throw new RefusedError("`command: sweep` works only in a GitHub Actions job, with `github-token`");
  const { runs, started, answered, dead, removed, faults } = await sweep(site);
  // Run ids contain only letters, digits and hyphens.
  const lines = [
    `${runs} ${runs === 1 ? "run is" : "runs are"} kept here.`,
    started.length > 0 && `Started, because they were answered but not resumed: ${started.join(", ")}`,
    answered.length > 0 && `Missed commands that were executed: ${answered.length}`,
    removed.length > 0 && `Removed by \`retention-days\` or \`retention-runs\`: ${removed.join(", ")}`,
    dead.length > 0 && `Their job is gone, and their comments say so: ${dead.join(", ")}`,
  ].filter((line) => line !== false);
  const problems = faults.map((fault) => job.withoutSecrets(fault));
  return {
    conclusion: faults.length === 0 ? "success" : "failure",
    stopReason: faults.length === 0 ? "completed" : "internal",
    page: [
      "### 🧹 until-green sweep",
      ...lines,
      ...problems.map((fault) => `- ${inMarkdownWithCode(fault)}`),
    ].join("\n\n"),
    annotations: [
      annotation("notice", lines.join(" "), "sweep"),
      ...problems.map((message) => annotation("error", message)),
    ],
  };
}
