import { cut, diffUrl, headline, inMarkdown, page, plain, type Summary } from "../../src/index.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { RefusedError } from "../job/job.ts";
import type { Site } from "../job/site.ts";

/** Which branch gets the work, and what stands in its pull request. */
export interface PublishPlan {
  readonly way: "pull-request" | "branch" | "push";
  readonly branch: string;
  /** What the pull request goes into. */
  readonly base: string;
}

interface Known {
  readonly inputs: Inputs;
  readonly site: Site;
  readonly workflow: string;
  readonly defaultBranch: string;
  /** The branch of the pull request the job is about. */
  readonly pullBranch: string | undefined;
  /** The branch the job runs on. */
  readonly ref: string | undefined;
}

/** Decides where the work goes; throws where it must not go there. */
export function planPublish({ inputs, site, workflow, defaultBranch, pullBranch, ref }: Known): PublishPlan {
  const way = inputs.publish === "none" ? "branch" : inputs.publish;
  if (way === "push" && pullBranch === undefined)
    throw new RefusedError(
      `\`publish: push\` pushes to the head of a pull request, and this job (on ${site.event || "no event"}) is about none: say \`publish: pull-request\``,
    );
  const branch = way === "push" ? (pullBranch ?? "") : (inputs.branch ?? `until-green/${slug(workflow)}`);
  const base = inputs.base ?? pullBranch ?? ref ?? defaultBranch;
  if (!isBranchName(branch))
    throw new RefusedError(
      `\`branch: ${branch.slice(0, 100)}\` is no name for a branch: say fix/tests, for example`,
    );
  if (branch === defaultBranch || (way !== "push" && branch === base))
    throw new RefusedError(
      `${branch} is ${branch === defaultBranch ? "the default branch" : "the base"}, and until-green never pushes to it: name another as \`branch\``,
    );
  return { way, branch, base };
}

const slug = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 60)
    .replace(/^-+|-+$/g, "") || "loop";

const wrongInBranch = /^[-/.]|\.\.|@\{|\/\/|\/\.|\.lock(\/|$)|[\s\p{Cc}~^:?*[\\]|[/.]$|^@$|^refs\//u;

/** Whether git, and GitHub, would take a text as the name of a branch. */
export const isBranchName = (name: string) => name !== "" && name.length <= 200 && !wrongInBranch.test(name);

/** The title of the pull request: `{workflow}`, `{run}` and `{conclusion}` stand for what they say. */
export function pullTitle(template: string | undefined, summary: Summary): string {
  const values: Readonly<Record<string, string>> = {
    workflow: summary.workflow,
    run: summary.run,
    conclusion: summary.conclusion ?? summary.state,
  };
  const filled = (template ?? "until-green: {workflow}").replace(
    /\{(\w+)\}/g,
    (all, name: string) => values[name] ?? all,
  );
  return cut(plain(filled).replace(/\s+/g, " ").trim() || "until-green", 250).replace(/\s+/g, " ");
}

/** The body of the pull request: what its runs did, as their pages show it, and what is not in it and should be. */
export function pullBody(runs: readonly Summary[], site: Site, missing: readonly string[] = []): string {
  const loops = [...new Set(runs.map(({ workflow }) => inMarkdown(workflow)))].join(", ");
  const times = runs.length > 1 ? ` in ${runs.length} runs` : "";
  const head = `The work of the agent loop ${loops}${times}, published by [this job](${site.job}).`;
  const out = missing.slice(0, 20).map((each) => `> - ${inMarkdown(cut(each, 200))}`);
  if (missing.length > out.length) out.push(`> - … ${missing.length - out.length} more`);
  const left = missing.length === 0 ? [] : [`> [!WARNING]\n> **Not in it:**\n${out.join("\n")}`];
  const most = Math.floor(45_000 / runs.length);
  const pages = runs.map((summary) => page(summary, { answerBy: "comment", diffUrl: diffUrl(site), most }));
  return [head, ...left, ...pages].join("\n\n");
}

export interface Trailers {
  readonly summary: Summary;
  readonly iteration?: number;
  /** The commit of others that it stands on. */
  readonly keeps: string | undefined;
}

/** The message of a published commit; the trailers say that it is ours, and what it must not lose. */
export function commitMessage({ summary, iteration, keeps }: Trailers): string {
  const what =
    iteration === undefined
      ? headline(summary).replace(/^\S+ /, "")
      : `${summary.workflow}: iteration ${iteration}`;
  const title = cut(plain(what).replace(/\s+/g, " "), 120).replace(/\s+/g, " ");
  const trailers = [
    `${runTrailer} ${summary.run}`,
    ...(keeps === undefined ? [] : [`${keepsTrailer} ${keeps}`]),
  ];
  return `${title}\n\n${trailers.join("\n")}\n`;
}

/** Whether a commit at a branch's tip is one of ours with nothing of others below it: it may be replaced. */
export const isReplaceable = (message: string) =>
  new RegExp(`^${runTrailer} `, "m").test(message) && !new RegExp(`^${keepsTrailer} `, "m").test(message);

const runTrailer = "Until-Green-Run:";
const keepsTrailer = "Until-Green-Keeps:";
