import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * Removes loose objects that a power cut left empty, because git does not sync them; returns whether there were any.
 * Git can neither read nor replace them. Objects that are being written have other names.
 */
export function removeEmptyObjects(gitDir: string): boolean {
  const objects = join(gitDir, "objects");
  const folders = readdirSync(objects).filter((name) => /^[0-9a-f]{2}$/.test(name));
  const paths = folders.flatMap((folder) =>
    readdirSync(join(objects, folder)).flatMap((name) =>
      /^[0-9a-f]{38,62}$/.test(name) ? [join(objects, folder, name)] : [],
    ),
  );
  const empty = paths.filter((path) => statSync(path, { throwIfNoEntry: false })?.size === 0);
  for (const path of empty) rmSync(path, { force: true });
  return empty.length > 0;
}
