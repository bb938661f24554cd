import { type Grade, gradeTrailer } from "../../src/api/publishing.ts";
import { headline, type Summary } from "../../src/api/runs.ts";
import type { Inputs } from "../inputs/inputs.ts";
import type { GitHubContext } from "../job/github-context.ts";
import { RefusedError } from "../job/job.ts";
import { messageOf, oneLine } from "./pull-text.ts";

/** The branch that gets the work, and the text of its pull request. */
export interface PublishPlan {
  readonly way: "pull-request" | "branch" | "push";
  readonly branch: string;
  /** The branch that the pull request targets. */
  readonly base: string;
  /** The issue that the work is for. */
  readonly issue: number | undefined;
}

interface PlanFacts {
  readonly way: PublishPlan["way"];
  readonly inputs: Partial<Pick<Inputs, "branch" | "base">>;
  readonly site: GitHubContext;
  readonly workflow: string;
  readonly defaultBranch: string;
  /** The branch of the job's pull request. */
  readonly pullBranch: string | undefined;
  /** The branch the job runs on. */
  readonly ref: string | undefined;
}

/** Decides where the work is published; throws if that is not allowed. */
export function planPublish(known: PlanFacts): PublishPlan {
  const { way, inputs, site, defaultBranch, pullBranch, ref } = known;
  const branch = branchFor(known);
  const base = inputs.base ?? pullBranch ?? ref ?? defaultBranch;
  if (!isBranchName(branch))
    throw new RefusedError(
      `\`branch: ${branch.slice(0, 100)}\` is not a valid branch name: use fix/tests, for example`,
    );
  if (branch === defaultBranch || (way !== "push" && branch === base))
    throw new RefusedError(
      `${branch} is ${branch === defaultBranch ? "the default branch" : "the base"}, and until-green never pushes to it: set another \`branch\``,
    );
  return { way, branch, base, issue: site.issue };
}

function branchFor({ way, inputs, site, workflow, pullBranch }: PlanFacts): string {
  if (way !== "push") return inputs.branch ?? goalBranch(workflow, site.issue);
  if (pullBranch !== undefined) return pullBranch;
  throw new RefusedError(
    `\`publish: push\` pushes to the head of a pull request, but this job (on ${site.event || "no event"}) has none: set \`publish: pull-request\``,
  );
}

/** The default branch for a workflow's work; each issue is a goal of its own. */
export const goalBranch = (workflow: string, issue?: number): string =>
  `until-green/${slug(workflow)}${issue === undefined ? "" : `-issue-${issue}`}`;

/** The issue of a run: from the event, or from the goal whose branch the event is about. */
export function issueOfGoal(workflow: string, inputs: Inputs, site: GitHubContext): number | undefined {
  if (site.issue !== undefined || inputs.branch !== undefined) return site.issue;
  const branch = site.pull?.branch ?? site.branch;
  const start = `${goalBranch(workflow)}-issue-`;
  const number = branch?.startsWith(start) ? branch.slice(start.length) : "";
  return /^[1-9]\d{0,9}$/.test(number) ? Number(number) : undefined;
}

/** Letters of any script stay: two names must not become one goal. */
const slug = (name: string) =>
  [...name.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]+/gu, "-")].slice(0, 60).join("").replace(/^-|-$/g, "") ||
  "loop";

const wrongInBranch = /^[-/.]|\.\.|@\{|\/\/|\/\.|\.lock(\/|$)|[\s\p{Cc}~^:?*[\\]|[/.]$|^@$|^refs\//u;

/** True if git and GitHub accept a text as a branch name. */
export const isBranchName = (name: string) => name !== "" && name.length <= 200 && !wrongInBranch.test(name);

export interface Trailers {
  readonly summary: Summary;
  readonly iteration?: number;
  readonly grade: Grade;
  /** The commit by others that it is based on. */
  readonly keeps: string | undefined;
  /** The user's template for the message. */
  readonly template?: string | undefined;
  /** The person in `Signed-off-by`, as required by a DCO. */
  readonly signoff?: string | undefined;
}

/** The message of a published commit; its trailers identify it as ours, and name what it is based on. */
export function commitMessage(values: Trailers): string {
  const { summary, iteration, grade, keeps, template, signoff } = values;
  const what =
    iteration === undefined
      ? headline(summary).replace(/^\S+ /, "")
      : `${summary.workflow}: iteration ${iteration}`;
  const own = template === undefined ? "" : messageOf(template, summary);
  const trailers = [
    `${runTrailer} ${summary.run}`,
    gradeTrailer(grade),
    ...(keeps === undefined ? [] : [`${keepsTrailer} ${keeps}`]),
    ...(signoff === undefined ? [] : [`Signed-off-by: ${signoff}`]),
  ];
  return `${own || oneLine(what, 120)}\n\n${trailers.join("\n")}\n`;
}

/** True if the commit at a branch's tip and all below it are ours, so that it may be replaced. */
export const isReplaceable = (message: string) =>
  new RegExp(`^${runTrailer} `, "m").test(message) && !new RegExp(`^${keepsTrailer} `, "m").test(message);

const runTrailer = "Until-Green-Run:";
const keepsTrailer = "Until-Green-Keeps:";

/** Why no workflow checks the pushed branch, and how to fix it. */
export const noChecks = ({ branch }: PublishPlan) =>
  `no checks run on ${branch}: after a push with GITHUB_TOKEN, workflow runs of a pull request wait for approval, and \`on: push\` does not run. ` +
  "Click **Approve workflows to run** on the pull request, or pass a GitHub App token or a personal access token as " +
  "`push-token`, from a secret (`secrets.PUSH_TOKEN`)";
