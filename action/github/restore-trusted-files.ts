import { posix } from "node:path";
import { bringCommit } from "../../src/api/publishing.ts";
import { messageOf } from "../../src/api/runs.ts";
import type { Inputs } from "../inputs/inputs.ts";
import type { GitHubContext } from "../job/github-context.ts";
import { type Job, RefusedError } from "../job/job.ts";
import { branchesOf } from "../publish/publish-context.ts";
import { literalGlob, trustedGlobs } from "../publish/trusted-paths.ts";
import { openPrivateCheckout } from "../series/private-checkout.ts";

interface Trust {
  readonly inputs: Inputs;
  readonly cwd: string;
  readonly site: GitHubContext;
  /** The commit accepted by people with write access. */
  readonly commit: string;
}

/**
 * Restores files that instruct agents, and the workflow to run, in a pull request's checkout from its base branch.
 * Returns the files that the pull request had changed.
 */
export async function restoreTrusted(
  { inputs, cwd, site, commit }: Trust,
  job: Job,
): Promise<readonly string[]> {
  const checkout = await withCommit({ inputs, cwd, site, commit }, job).catch((error: unknown) => {
    throw new RefusedError(
      `the commit ${commit.slice(0, 12)} that the pull request is based on cannot be read, so files that instruct agents ` +
        `cannot be restored from it (${messageOf(error)}): check out with \`fetch-depth: 0\`, or give the job \`permissions: contents: read\``,
    );
  });
  if (checkout === undefined) return [];
  const here = [inputs.workflow, inputs["prompt-file"]].flatMap((path) =>
    path === undefined ? [] : pathIn(path, checkout.prefix),
  );
  const globs = [...trustedGlobs, ...here];
  return (await checkout.handle({ op: "protect", commit, globs })).restored ?? [];
}

/** The private repository of the checkout, with the commit. */
async function withCommit({ inputs, cwd, site, commit }: Trust, job: Job) {
  const checkout = await openPrivateCheckout(cwd, "trusted", job);
  if (checkout === undefined) return undefined;
  const remote = await branchesOf({ site, job, cwd }, inputs["github-token"]);
  await bringCommit({ gitDir: checkout.gitDir, remote }, commit);
  return checkout;
}

/**
 * The workflow's path as a literal glob relative to the top. A bare name counts as a path too, because a file of that
 * name in a pull request would be found before the workflow. Includes the files beside the workflow, which it may
 * use, except at the top of the repository.
 */
function pathIn(path: string, prefix: string): readonly string[] {
  const file = posix.normalize(`${prefix}${path}`);
  const folder = posix.dirname(file);
  const ownFile = literalGlob(file);
  return folder === "." ? [ownFile] : [ownFile, `${literalGlob(folder)}/**/*.{yml,yaml,json,md}`];
}
