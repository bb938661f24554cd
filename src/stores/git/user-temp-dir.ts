import { lstatSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../../processes/environment.ts";
import { makeFolder } from "../../processes/make-folder.ts";
import { refuseLink } from "../../processes/temp-folder.ts";

/** A temporary folder that only this user can read and create. */
export function userTempDir(environment: Environment, ...names: readonly string[]): string {
  // Not `userInfo()`, which fails for a user without an entry, as in many containers.
  const user = process.getuid?.() ?? -1;
  const root = join(temporaryFolder(environment), `until-green-${user}`);
  makeFolder(refuseLink(root), 0o700);
  if (user !== -1 && lstatSync(root).uid !== user)
    throw new Error(`${root} belongs to another user: set TMPDIR to a folder of your own`);
  return names.reduce((above, name) => makeFolder(refuseLink(join(above, name)), 0o700), root);
}

/** The folder for unpushed lines of runs that are kept at a host. */
export const temporaryFolder = (environment: Environment): string => environment["RUNNER_TEMP"] || tmpdir();
