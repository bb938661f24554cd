import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolder } from "./make-folder.ts";
import { folderFor, type PrivateFolder } from "./private-folder.ts";

/** A place in a program's view of the machine. */
export interface Mount {
  /** Where the program finds it; an absolute path without links. */
  readonly path: string;
  /**
   * `read` and `write` show the same path, or `source`. `empty` is an empty folder that nobody can write
   * to, `nothing` an empty file, and `link` a link to `source`.
   */
  readonly kind: "read" | "write" | "empty" | "nothing" | "link";
  readonly source?: string;
}

export const isIn = (path: string, folder: string): boolean =>
  path === folder || folder === "/" || path.startsWith(`${folder}/`);

/** Bubblewrap's flags for a view: deeper paths come later, and of two mounts at one path the later one counts. */
export function flagsOf(mounts: readonly Mount[], place: PrivateFolder): readonly string[] {
  const ordered = [...new Map(mounts.map((mount) => [mount.path, mount])).values()]
    // Not a file system each: to end one takes milliseconds, for which programs would outlive their namespace.
    .map((mount) =>
      mount.kind === "empty" ? { source: folderFor(place, mount.path, "empty"), ...mount } : mount,
    )
    .sort((one, other) => depthOf(one.path) - depthOf(other.path));
  const placed: Mount[] = [];
  for (const mount of ordered) {
    const above = placed.findLast(({ path }) => isIn(mount.path, path));
    if (isRedundant(mount, above)) continue;
    if (above?.kind === "write") placed.push(...foldersBetween(mount.path, above));
    placed.push(mount);
  }
  // Nothing can be mounted in a folder that is read-only already.
  const sealed = placed.filter(({ kind }) => kind === "empty").flatMap(({ path }) => ["--remount-ro", path]);
  return [...placed.flatMap(flags), ...sealed];
}

const depthOf = (path: string) => path.split("/").length;

/** What is shown already; a link exists in a folder that is shown. */
const isRedundant = ({ kind, path, source = path }: Mount, above: Mount | undefined) =>
  above !== undefined &&
  ((kind === "link" && /^(?:read|write)$/.test(above.kind)) ||
    (kind === "read" && above.kind === "read" && sourceIn(above, path) === source));

const sourceIn = ({ path, source = path }: Mount, inner: string) => join(source, inner.slice(path.length));

/** The folders between a writable place and a mount in it are mounted too: otherwise they could be renamed. */
function foldersBetween(path: string, place: Mount): readonly Mount[] {
  const between: Mount[] = [];
  for (let at = dirname(path); at !== place.path; at = dirname(at)) {
    const source = sourceIn(place, at);
    if (source !== at || !existsSync(source)) makeFolder(source);
    between.unshift({ path: at, kind: "write", source });
  }
  return between;
}

function flags({ path, kind, source = path }: Mount): readonly string[] {
  switch (kind) {
    case "read":
      // What has disappeared meanwhile needs no mount.
      return ["--ro-bind-try", source, path];
    case "write":
    case "empty":
      return ["--bind", source, path];
    case "link":
      return ["--symlink", source, path];
    case "nothing":
      return ["--dev-bind", "/dev/null", path];
  }
}
