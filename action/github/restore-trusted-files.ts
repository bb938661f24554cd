import { join, posix } from "node:path";
import { bringCommit, findRepository, gitWorkspace } from "../../src/api/publishing.ts";
import { endSignal } from "../../src/api/runs.ts";
import type { Inputs } from "../inputs/inputs.ts";
import type { GitHubContext } from "../job/github-context.ts";
import { type Job, RefusedError } from "../job/job.ts";
import { branchesOf } from "../publish/publish-context.ts";
import { trustedGlobs } from "../publish/trusted-paths.ts";

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
  const repository = await findRepository(cwd);
  if (repository === undefined) return [];
  const dir = join(job.folder, "trusted");
  const workspace = gitWorkspace({ privateDir: () => dir });
  const context = { runId: "trusted", signal: endSignal, workspace: repository.top };
  const here = [inputs.workflow, inputs["prompt-file"]].flatMap((path) =>
    path === undefined ? [] : pathIn(path, repository.prefix),
  );
  try {
    await workspace.handle({ op: "snapshot", since: undefined, message: "as it came" }, context);
    await bringCommit(
      {
        gitDir: join(dir, "snapshots.git"),
        remote: await branchesOf({ site, job, cwd }, inputs["github-token"]),
      },
      commit,
    );
  } catch (error) {
    throw new RefusedError(
      `the commit ${commit.slice(0, 12)} that the pull request is based on cannot be read, so files that instruct agents ` +
        `cannot be restored from it (${error instanceof Error ? error.message : error}): check out with \`fetch-depth: 0\`, or give the job \`permissions: contents: read\``,
    );
  }
  const { restored = [] } = await workspace.handle(
    { op: "protect", commit, globs: [...trustedGlobs, ...here] },
    context,
  );
  return restored;
}

/**
 * The workflow's path as a literal glob relative to the top. A bare name counts as a path too, because a file of that
 * name in a pull request would be found before the workflow. Includes the files beside the workflow, which it may
 * use, except at the top of the repository.
 */
function pathIn(path: string, prefix: string): readonly string[] {
  const file = posix.normalize(`${prefix}${path}`);
  const folder = posix.dirname(file);
  const literal = (text: string) => text.replace(/[*?[\]{}()!+@\\]/g, "\\$&");
  return folder === "." ? [literal(file)] : [literal(file), `${literal(folder)}/**/*.{yml,yaml,json,md}`];
}
