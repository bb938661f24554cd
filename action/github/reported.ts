import { type GitHub, loadGitHub } from "../../src/api/github.ts";
import { failedChecksText, reviewsText } from "../../src/api/publishing.ts";
import type { Inputs } from "../inputs/inputs.ts";
import type { Job } from "../job/job.ts";
import { type JobEvent, readJobEvent } from "../job/job-event.ts";
import { annotation } from "../job/workflow-commands.ts";
import { isOwnCheck } from "../series/goal-branch.ts";
import { openClient } from "./github-lifecycle.ts";

/** What the failed checks of a commit report, or without one the reviewers. */
export async function readReported(
  failed: string | undefined,
  inputs: Inputs,
  job: Job,
): Promise<string | undefined> {
  const event = readJobEvent(job);
  const github = await openClient(inputs);
  if (github === undefined) return undefined;
  const text = failed === undefined ? await reviewsOf(event, github) : await checksOf(failed, github, job);
  return text === undefined ? undefined : job.withoutSecrets(text);
}

async function checksOf(commit: string, github: GitHub, job: Job): Promise<string | undefined> {
  const { checks, refusals } = await (await loadGitHub()).readChecks(github, commit, isOwnCheck);
  for (const refusal of refusals) job.log.annotate(annotation("warning", job.withoutSecrets(refusal)));
  return failedChecksText(checks);
}

/** Open threads and reviews that request changes, by people who may write. */
async function reviewsOf({ pull_request: pull }: JobEvent, github: GitHub): Promise<string | undefined> {
  if (pull === undefined) return undefined;
  return reviewsText(await (await loadGitHub()).readReviews(github, pull.number));
}
