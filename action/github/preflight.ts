import { type GitHub, loadGitHub } from "../../src/api/github.ts";
import type { Inputs } from "../inputs/inputs.ts";
import type { GitHubContext, PullSeen } from "../job/github-context.ts";
import { type Job, NothingToDoError, RefusedError } from "../job/job.ts";
import { startsWorkflows } from "../publish/publish-context.ts";

/** The results of the preflight, which runs before anything costs money. */
export interface PreflightResult {
  readonly defaultBranch: string;
  readonly pull: PullSeen | undefined;
  /** The present tip of the pull request's head, if it was read. */
  readonly tip?: string;
}

/** Throws if untrusted code would run with our keys, under any trigger. */
export function refuseFork(site: GitHubContext, fork: string | undefined): void {
  if (fork === undefined) return;
  const which = site.pull === undefined ? `this ${site.event} job` : `pull request #${site.pull.number}`;
  throw new RefusedError(
    `${which} comes from ${fork}, a fork: strangers control its files and texts, and the agent has ` +
      `your keys, so until-green does not run on forks, whatever the trigger (here \`on: ${site.event}\`). ` +
      "Review the branch, push it to this repository, and run there",
  );
}

interface Trying {
  readonly inputs: Inputs;
  readonly site: GitHubContext;
  readonly github: GitHub | undefined;
}

/**
 * Tries everything that the inputs need from GitHub, with requests that change nothing; throws with the missing lines
 * of `permissions`.
 */
export async function runPreflight({ inputs, site, github }: Trying, job: Job): Promise<PreflightResult> {
  const wants = wanted(inputs, site);
  refuseSettled(site.pull?.settled, inputs);
  // An event tells how a pull request was, not how it is.
  const isKnown =
    site.pull === undefined ||
    (inputs.publish !== "push" && site.pull.baseSha !== undefined && site.pull.headSha !== undefined);
  // A host that is not needed need not respond.
  if (wants.length === 0 && isKnown) return { defaultBranch: "main", pull: site.pull };
  if (github === undefined) {
    throw new RefusedError(
      `${wants[0] === undefined ? "a pull request" : `\`${wants[0].input}\``} needs a token, but there is none: omit \`github-token\`, or set \`github-token: \${{ github.token }}\``,
    );
  }
  const { readAccess, readRepositoryFacts } = await loadGitHub();
  const { defaultBranch, mayPush } = await readRepositoryFacts(github);
  const missing = [
    ...unpushable(inputs, mayPush),
    ...(await refusals(wants, (it) => readAccess(github, it))),
  ];
  if (missing.length === 0)
    missing.push(...(await unwritable({ inputs, github, branch: defaultBranch }, job)));
  if (missing.length > 0) throw new RefusedError(...missing);
  if (site.pull === undefined || isKnown) return { defaultBranch, pull: site.pull };
  return { defaultBranch, ...(await readTarget({ inputs, site, github }, site.pull)) };
}

/** The pull request as it is now; the job's event may be older. */
async function readTarget({ inputs, site, github }: Trying & { readonly github: GitHub }, seen: PullSeen) {
  const { readBranchName, readPull } = await loadGitHub();
  const pull = await readPull(github, seen.number).catch((error: Error & { readonly status?: number }) => {
    if (![403, 404].includes(error.status ?? 0)) throw error;
    throw new RefusedError(
      `the job may not read pull request #${seen.number}: give the job \`permissions: pull-requests: read\` (${error.message})`,
    );
  });
  refuseFork(site, pull.isOwn ? undefined : "another repository");
  refuseSettled(pull.state === "open" ? undefined : pull, inputs);
  if (inputs.publish === "push" && (await readBranchName(github, pull.head)) === undefined)
    throw new NothingToDoError(
      `no agent was called, because the branch ${pull.head} of pull request #${pull.number} was deleted`,
    );
  const { headSha = pull.headSha, baseSha = pull.baseSha } = seen;
  return { pull: { number: pull.number, branch: pull.head, headSha, baseSha }, tip: pull.headSha };
}

/** Work for a pull request is worth nothing once people have decided about it; work for other branches is. */
function refuseSettled(
  settled: { readonly number: number; readonly merged: boolean } | undefined,
  { publish }: Inputs,
): void {
  if (settled === undefined || publish === "pull-request" || publish === "branch") return;
  throw new NothingToDoError(
    `no agent was called, because pull request #${settled.number} is ${settled.merged ? "merged" : "closed"}`,
  );
}

/** Only the token that pushes is checked for its permissions. */
const unpushable = (inputs: Inputs, mayPush: boolean | undefined): readonly string[] =>
  inputs.publish !== "none" && mayPush === false && !startsWorkflows(inputs)
    ? [line("contents", `publish: ${inputs.publish}`)]
    : [];

interface Writing {
  readonly inputs: Inputs;
  readonly github: GitHub;
  readonly branch: string;
}

/**
 * Permissions that the workflow file does not grant and GitHub refuses. A request that cannot succeed is sent only on
 * that suspicion. Another token may open pull requests; issues are opened with this one.
 */
async function unwritable({ inputs, github, branch }: Writing, job: Job): Promise<readonly string[]> {
  const { publish, "failure-issue": failures } = inputs;
  const opens = publish === "pull-request" && !startsWorkflows(inputs);
  const wants = [
    ...(opens ? [{ what: "pull-requests", input: `publish: ${publish}` } as const] : []),
    ...(failures === undefined ? [] : [{ what: "issues", input: `failure-issue: ${failures}` } as const]),
  ];
  if (wants.length === 0) return [];
  const [{ writeAccess }, { lacksWrite }] = await Promise.all([loadGitHub(), import("./job-permissions.ts")]);
  const lacks = await lacksWrite(job);
  const problems: string[] = [];
  for (const { what, input } of wants) {
    const refused = lacks(what) ? await writeAccess(github, { what, branch }) : undefined;
    if (refused !== undefined) problems.push(`${line(what, input)} (${refused.message})`);
  }
  return problems;
}

type Reads = Exclude<NeededPermission["permission"], "contents">;

async function refusals(
  wants: readonly NeededPermission[],
  ask: (what: Reads) => Promise<Error | undefined>,
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const { permission, input } of wants) {
    const refused = permission === "contents" ? undefined : await ask(permission);
    if (refused !== undefined) problems.push(`${line(permission, input)} (${refused.message})`);
  }
  return problems;
}

interface NeededPermission {
  readonly permission: "contents" | "pull-requests" | "checks";
  readonly input: string;
}

/** Only what was explicitly requested: optional displays are skipped if not permitted. */
function wanted(
  { publish, comment, "check-run": check }: Inputs,
  site: GitHubContext,
): readonly NeededPermission[] {
  const wants: NeededPermission[] = [];
  if (publish !== "none") wants.push({ permission: "contents", input: `publish: ${publish}` });
  if (publish === "pull-request") wants.push({ permission: "pull-requests", input: `publish: ${publish}` });
  if (comment === "sticky" && site.pull !== undefined)
    wants.push({ permission: "pull-requests", input: "comment: sticky" });
  if (check === "true") wants.push({ permission: "checks", input: "check-run: true" });
  return wants;
}

const line = (permission: string, input: string) =>
  `\`${input}\` needs a permission this job does not have: give the job \`permissions: ${permission}: write\``;
