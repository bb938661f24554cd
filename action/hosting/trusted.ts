import { join, posix } from "node:path";
import { bringCommit, findRepository, gitWorkspace } from "../../src/index.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { type Job, RefusedError } from "../job/job.ts";
import type { Site } from "../job/site.ts";
import { branchesOf } from "../publish/place.ts";
import { trustedGlobs } from "../publish/trusted-paths.ts";

interface Trust {
  readonly inputs: Inputs;
  readonly cwd: string;
  readonly site: Site;
  /** The commit that people with write access have accepted. */
  readonly commit: string;
}

/**
 * Makes what instructs agents, and the workflow that is to run, in the checkout of a pull request the same as in the
 * branch it goes to. Answers which files the pull request had changed.
 */
export async function restoreTrusted(
  { inputs, cwd, site, commit }: Trust,
  job: Job,
): Promise<readonly string[]> {
  const repository = await findRepository(cwd);
  if (repository === undefined) return [];
  const dir = join(job.folder, "trusted");
  const workspace = gitWorkspace({ privateDir: () => dir });
  const context = { runId: "trusted", signal: new AbortController().signal, workspace: repository.top };
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
      `the commit ${commit.slice(0, 12)} that the pull request goes to cannot be read, so its changes of what instructs agents ` +
        `cannot be taken back (${error instanceof Error ? error.message : error}): check out with \`fetch-depth: 0\`, or give the job \`permissions: contents: read\``,
    );
  }
  const { restored = [] } = await workspace.handle(
    { op: "protect", commit, globs: [...trustedGlobs, ...here] },
    context,
  );
  return restored;
}

/**
 * A path given from the working directory, as a glob from the top that means nothing else. A name is one too: a file of
 * that name in a pull request would be taken before the workflow of that name. The files a workflow may call beside
 * itself go along, unless it lies at the top, where any file may lie.
 */
function pathIn(path: string, prefix: string): readonly string[] {
  const file = posix.normalize(`${prefix}${path}`);
  const folder = posix.dirname(file);
  const literal = (text: string) => text.replace(/[*?[\]{}()!+@\\]/g, "\\$&");
  return folder === "." ? [literal(file)] : [literal(file), `${literal(folder)}/**/*.{yml,yaml,json,md}`];
}
