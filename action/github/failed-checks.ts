import { loadGitHub } from "../../src/api/github.ts";
import { failedChecksText } from "../../src/api/publishing.ts";
import type { Inputs } from "../inputs/inputs.ts";
import type { Job } from "../job/job.ts";
import { readJobEvent } from "../job/job-event.ts";
import { annotation } from "../job/workflow-commands.ts";
import { openClient } from "./github-lifecycle.ts";

/** What the failed checks of a commit report, if a failed workflow run there started this job. */
export async function readFailedChecks(inputs: Inputs, job: Job): Promise<string | undefined> {
  const { workflow_run: run } = readJobEvent(job);
  const github = run?.conclusion === "failure" ? await openClient(inputs) : undefined;
  if (github === undefined || run === undefined) return undefined;
  const { readChecks } = await loadGitHub();
  const { checks, refusals } = await readChecks(github, run.head_sha, () => false);
  for (const refusal of refusals) job.log.annotate(annotation("warning", job.withoutSecrets(refusal)));
  const text = failedChecksText(checks);
  return text === undefined ? undefined : job.withoutSecrets(text);
}
