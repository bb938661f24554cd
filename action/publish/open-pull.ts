import { type GitHub, loadGitHub } from "../../src/api/github.ts";
import { messageOf } from "../../src/api/runs.ts";
import { type PublishedWork, RefusedError } from "../job/job.ts";
import type { PublishSetting } from "./work.ts";

type NewPull = Parameters<Awaited<ReturnType<typeof loadGitHub>>["createPull"]>[1];

/** The work is on its branch, but no available token may open a pull request. */
export class UnopenedPullError extends RefusedError {
  readonly published: PublishedWork;

  constructor(message: string, published: PublishedWork) {
    super(message);
    this.published = published;
  }
}

/**
 * Opens a pull request with the token for pushing, because workflows of a pull request opened with the job's own
 * token wait for approval. Falls back to the job's own token.
 */
export async function openPull(
  { github, opener, site }: Pick<PublishSetting, "github" | "opener" | "site">,
  { commit, ...pull }: NewPull & { readonly commit: string },
): ReturnType<Awaited<ReturnType<typeof loadGitHub>>["createPull"]> {
  const { createPull } = await loadGitHub();
  const by = (one: GitHub) =>
    createPull(one, pull).catch(async (error: unknown) => {
      const base = isWithoutBase(error) ? await presentName(one, pull.base) : undefined;
      if (base === undefined) throw error;
      return await createPull(one, { ...pull, base });
    });
  try {
    if (opener === undefined) return await by(github);
    return await by(opener).catch((error: unknown) => {
      if (isForbidden(error)) return by(github);
      throw error;
    });
  } catch (error) {
    const refused = refusalOfPull(error, { site, pull });
    if (refused === undefined) throw error;
    throw new UnopenedPullError(
      `the branch ${pull.head} was pushed, but ${refused.because}. ${refused.remedy}, then run \`command: publish\` with this \`run-id\`; or open it yourself: ${refused.link}`,
      { branch: pull.head, commit, pull: undefined },
    );
  }
}

const isWithoutBase = (error: unknown) =>
  (error as { readonly status?: number }).status === 422 && messageOf(error).includes('"field":"base"');

/** The name of a branch that was renamed while the run worked. */
async function presentName(github: GitHub, branch: string): Promise<string | undefined> {
  const { readBranchName } = await loadGitHub();
  const name = await readBranchName(github, branch);
  return name === branch ? undefined : name;
}

interface Refused {
  readonly site: PublishSetting["site"];
  readonly pull: Pick<NewPull, "base" | "head">;
}

/** The message for GitHub's refusal to let jobs open pull requests; `undefined` for other errors. */
export function refusalOfPull(error: unknown, { site, pull }: Refused) {
  if (!isForbidden(error)) return undefined;
  const message = messageOf(error);
  const lacksPermission = /not accessible by integration/i.test(message);
  return {
    because: `GitHub did not let this job open a pull request (${message})`,
    remedy: `${lacksPermission ? permission : setting}, or pass a \`push-token\` that can open them`,
    link: `${site.server}/${site.repository}/compare/${pull.base}...${pull.head}?expand=1`,
  };
}

const setting =
  "Turn on Settings → Actions → General → `Allow GitHub Actions to create and approve pull requests`";
const permission = "Give the job `permissions: pull-requests: write`";

const isForbidden = (error: unknown) =>
  [401, 403, 404].includes((error as { readonly status?: number }).status ?? 0);
