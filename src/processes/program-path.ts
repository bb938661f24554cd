import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { cwd, env, platform } from "node:process";

/**
 * The path of a program, resolved on PATH once: later an agent may put a program of the same name in an earlier folder,
 * and the programs we start hold tokens or decide whether the work is done. Returns the name if the program is not
 * found, and on Windows.
 */
export function programPath(name: string, path: string | undefined): string {
  if (platform === "win32") return name;
  const places = (path ?? "").split(delimiter).filter(isAbsolute);
  return places.map((folder) => join(folder, name)).find(isProgram) ?? name;
}

/**
 * PATH for programs that we start ourselves, outside the walls. Excludes folders in a checkout and in `node_modules`,
 * which npx and virtual environments put on PATH, because agents can write there.
 */
export function pathOutside(checkout: string, path = ""): string {
  if (platform === "win32") return path;
  const excluded = [checkout, cwd()].map((folder) => `${folder}/`);
  const isTheirs = (folder: string) =>
    folder.includes("/node_modules/") || excluded.some((place) => `${folder}/`.startsWith(place));
  return path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !isTheirs(folder))
    .join(delimiter);
}

/** The git on PATH when it was first needed: before an agent could put another one there. */
export function gitProgram(): string {
  git ??= programPath("git", pathOutside("/", env["PATH"]));
  return git;
}

let git: string | undefined;

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
