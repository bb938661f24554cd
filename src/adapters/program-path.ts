import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { platform } from "node:process";

/**
 * Where a program is, found on PATH once: an agent may put another one of that name in a folder before it, and what we
 * start later holds tokens, or says whether the work is done. Just the name where it is not found, and on Windows.
 */
export function programPath(name: string, path: string | undefined): string {
  if (platform === "win32") return name;
  const places = (path ?? "").split(delimiter).filter(isAbsolute);
  return places.map((folder) => join(folder, name)).find(isProgram) ?? name;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
