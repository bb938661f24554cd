import { chmodSync } from "node:fs";
import { tmpdir } from "node:os";
import type { Environment } from "./environment.ts";
import { isIn, type Mount } from "./mounts.ts";
import { folderFor, type PrivateFolder } from "./private-folder.ts";

/** The temporary folders of a run. */
export function temporaryMounts(
  { RUNNER_TEMP = "", TMPDIR = "" }: Environment,
  place: PrivateFolder,
): readonly Mount[] {
  const own = [tmpdir(), TMPDIR].filter((path) => path.startsWith("/"));
  const paths = ["/tmp", "/var/tmp", ...own, RUNNER_TEMP].filter((path) => path !== "" && path !== "/");
  return [...new Set(paths)]
    .filter((path, _, all) => !all.some((other) => other !== path && isIn(path, other)))
    .map((path) => ({ path, kind: "write", source: openFolder(place, path) }));
}

/** As temporary folders are: some programs refuse others. */
function openFolder(place: PrivateFolder, path: string): string {
  const folder = folderFor(place, path, "place");
  chmodSync(folder, 0o1777);
  return folder;
}
