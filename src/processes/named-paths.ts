import { accessSync, constants, realpathSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, normalize } from "node:path";
import { attempt } from "./lenient-reads.ts";
import { isFolder } from "./make-folder.ts";
import { isIn } from "./mounts.ts";
import { leadsToFile } from "./path-kind.ts";

/**
 * What a command names by an absolute path, or by one below the home folder: its author wants it to be read. A file is
 * named together with its folder, because programs load what lies beside them, unless that folder holds one of `others`,
 * such as the checkout.
 */
export function pathsNamedIn(
  command: string,
  { home = homedir(), others }: { readonly home?: string | undefined; readonly others: readonly string[] },
): readonly string[] {
  const words = command.replaceAll(/(?:~|\$HOME|\$\{HOME\})(?=\/)/g, home).match(absolute) ?? [];
  const places = [home, tmpdir(), "/var/tmp", ...others];
  const holdsOthers = (folder: string) => places.some((place) => isIn(realOr(place), realOr(folder)));
  // It is seen there anyway, and a program of the run decides where a link leads.
  const isTheirs = (path: string) =>
    others.some((place) => isIn(path, place) || isIn(path, realOr(place))) ||
    // They mean something else for each process.
    /^\/(?:proc|dev|sys)\//.test(path);
  return [...new Set(words.map((word) => normalize(word)))].flatMap((path) => {
    if (isTheirs(path)) return [];
    if (isFolder(path)) return holdsOthers(path) || isTemporary(path) ? [] : [path];
    if (!leadsToFile(path) || (isTemporary(path) && !isProgram(path))) return [];
    return [holdsOthers(dirname(path)) ? path : dirname(path)];
  });
}

const realOr = (path: string) => attempt(() => realpathSync(path)) ?? path;

const absolute = /(?<=^|[\s"'=:(])\/[^\s"'`;|&()<>$*?:]+/g;

/** A command that names a file there may be about to write it, unless it is a program. */
const isTemporary = (path: string) => [tmpdir(), "/tmp", "/var/tmp"].some((place) => isIn(path, place));

const isProgram = (path: string) =>
  /\.(?:[cm]?[jt]sx?|sh|bash|py|rb|pl|php)$/.test(path) ||
  attempt(() => accessSync(path, constants.X_OK) ?? true) === true;
