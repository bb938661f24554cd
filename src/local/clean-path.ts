import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, relative, sep } from "node:path";
import type { Environment } from "../processes/environment.ts";

/** True if a path is a folder, or inside it. */
export function isWithin(path: string, folder: string): boolean {
  const below = relative(folder, path);
  return below !== ".." && !below.startsWith(`..${sep}`) && !isAbsolute(below);
}

interface PathRequest {
  readonly environment: Environment;
  readonly cwd: string;
  readonly changed: readonly string[];
  /** A folder in which folders can be created. */
  readonly root: string;
}

/** The original PATH, without folders of the checkout, and without programs that are new or changed. */
export function cleanPath({ environment, cwd, changed, root }: PathRequest) {
  const folders = (environment["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !isWithin(folder, cwd));
  const value = folders.flatMap((folder, at) => {
    if (changed.includes(folder)) return [];
    const others = changed.filter((path) => dirname(path) === folder);
    return others.length === 0 ? [folder] : [withLinks(folder, others, join(root, `path-${at}`))];
  });
  return { value: value.join(delimiter), leftOut: changed.slice(0, 20) };
}

/** A folder with links to all programs of another folder except some. */
function withLinks(folder: string, without: readonly string[], place: string): string {
  mkdirSync(place);
  for (const name of readdirSync(folder)) {
    const program = join(folder, name);
    if (!without.includes(program)) symlinkSync(program, join(place, name));
  }
  return place;
}
