import { join } from "node:path";
import { DiskFault, nothingLost } from "../ports/disk-fault.ts";
import { repositoryOf } from "../processes/git-folders.ts";
import { attempt } from "../processes/lenient-reads.ts";
import { isFolder } from "../processes/make-folder.ts";
import { isPlainFile, isThere } from "../processes/path-kind.ts";

/**
 * Why git finds no repository from a folder although there was one: a program of the run may have removed parts of
 * git's folder. A sentence with a remedy; `undefined` if git's folder looks whole, or if there is none.
 */
export const damageOf = (dir: string): string | undefined => stateOf(dir)?.damage;

/**
 * The same as an error. If only a part is missing, no node is to blame, and the run can be resumed. A program that
 * removes all of `.git` fails its loop, even if a wall protects some files in it.
 */
export function damageError(dir: string, cause: Error): Error | undefined {
  const state = stateOf(dir);
  if (state === undefined) return undefined;
  const { damage, isRemoved } = state;
  return isRemoved
    ? new Error(damage, { cause })
    : new DiskFault(`${damage} (${nothingLost}), then resume the run`, "ENOENT", cause);
}

interface Damaged {
  readonly damage: string;
  readonly isRemoved?: boolean;
}

function stateOf(dir: string): Damaged | undefined {
  const repository = attempt(() => repositoryOf(dir));
  if (repository === undefined) return undefined;
  const { top, own, common } = repository;
  const git = join(top, ".git");
  if (isPlainFile(own))
    return {
      damage: `${git} is a file that names no folder of git: move it away, and put git's folder back from a copy`,
    };
  if (!isFolder(own))
    return { damage: `${git} leads to ${own}, which is not there: put it back from a copy` };
  const missing = parts.filter((name) =>
    name === "HEAD" ? !isThere(join(own, name)) : !isFolder(join(common, name)),
  );
  if (missing.length === 0) return undefined;
  const damage =
    `${own} has no ${missing.join(", ")}, which a program may have removed: put this back from a copy, ` +
    `or run \`git init\` in ${top} to make it anew, and \`git fetch\` for the commits`;
  return { damage, isRemoved: missing.length === parts.length };
}

/** What git needs to find a repository. */
const parts = ["HEAD", "objects", "refs"];
