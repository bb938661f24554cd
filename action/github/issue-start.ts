import { type GitHub, loadGitHub, mayCommand, rulesOf, visibleText } from "../../src/api/github.ts";
import type { IssueFacts } from "../../src/api/runs.ts";
import { messageOf } from "../../src/api/runs.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { type Job, RefusedError } from "../job/job.ts";
import { readJobEvent } from "../job/job-event.ts";
import { siteOf } from "./issue-ops.ts";

/** The issue that a run is started from, as people see it; throws `RefusedError` if it cannot be read. */
export async function readStartIssue(github: GitHub | undefined, number: number): Promise<IssueFacts> {
  if (github === undefined)
    throw new RefusedError(`issue #${number} started this run: reading it requires ${token}`);
  const { readIssue } = await loadGitHub();
  try {
    const { title, body, by, isPull } = await readIssue(github, number);
    if (isPull) throw new RefusedError(`#${number} is a pull request: pass its number in the input \`pull\``);
    return { number, by, title: visibleText(title), body: visibleText(body).slice(0, mostCharacters) };
  } catch (error) {
    if (error instanceof RefusedError) throw error;
    const because = messageOf(error);
    throw new RefusedError(
      `issue #${number}, which started this run, cannot be read (${because}): give the job \`permissions: issues: write\``,
    );
  }
}

const mostCharacters = 32_000;
const token = "`github-token`";

/**
 * Why an issue event must not start a run, as a sentence: strangers can open issues, even with a label set by an
 * issue template.
 */
export async function mayNotStart(inputs: Inputs, job: Job): Promise<string | undefined> {
  if (job.env["GITHUB_EVENT_NAME"] !== "issues") return undefined;
  const site = siteOf(inputs, job);
  if (site === undefined)
    throw new RefusedError(
      `the permission to start a run from an issue is checked with GitHub: set ${token}`,
    );
  const by = readJobEvent(job).sender?.login ?? "";
  const config = await site.config();
  if (
    by.endsWith("[bot]") &&
    !config["allow-bot-users"].some((login) => login.toLowerCase() === by.toLowerCase())
  )
    return `the event of the issue was ignored: ${by} is not among \`allow-bot-users\``;
  const no = await mayCommand(site, rulesOf(config, inputs.workflow), by);
  return no === undefined ? undefined : `the event of the issue was ignored, because it is by ${by}: ${no}`;
}
