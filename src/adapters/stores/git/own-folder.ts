import { lstatSync, mkdirSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import type { Environment } from "../../environment.ts";

/** A folder below the temporary one that nobody else may look into or have put there. */
export function ownFolder(environment: Environment, ...names: readonly string[]): string {
  const temporary = environment["RUNNER_TEMP"] || tmpdir();
  const root = join(temporary, `until-green-${userInfo().uid}`);
  mkdirSync(root, { recursive: true, mode: 0o700 });
  const { uid } = lstatSync(root);
  if (process.getuid !== undefined && uid !== process.getuid())
    throw new Error(`${root} belongs to another user: set TMPDIR to a folder of your own`);
  const folder = join(root, ...names);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}
