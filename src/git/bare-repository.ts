import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../processes/make-folder.ts";
import { removeUnfinished, replaceFile, unfinished } from "../processes/replace-file.ts";
import { removeEmptyObjects } from "./empty-objects.ts";
import type { ObjectFormat } from "./objects.ts";

/**
 * Creates a bare repository as `git init --bare` does, without starting git; parallel calls are safe. Repairs an
 * existing one after a power cut: its objects are still at the host, or can be written again.
 */
export function bareRepository(dir: string, name: string, format: ObjectFormat): string {
  const path = join(dir, name);
  const files = { config: bareSettings(format), HEAD: "ref: refs/heads/none\n" };
  // Somebody put a file in its place.
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === false) rmSync(path);
  if (existsSync(path)) {
    for (const folder of folders) makeFolder(join(path, folder));
    for (const [file, content] of Object.entries(files))
      if (contentOf(join(path, file)) !== content) replaceFile(join(path, file), content);
    removeEmptyObjects(path);
    return path;
  }
  makeFolder(dir);
  removeUnfinished(dir, name);
  const making = unfinished(path);
  for (const folder of folders) makeFolder(join(making, folder));
  for (const [file, content] of Object.entries(files)) writeFileSync(join(making, file), content);
  try {
    renameSync(making, path);
  } catch (error) {
    rmSync(making, { recursive: true });
    if (!existsSync(path)) throw error;
  }
  return path;
}

const folders = ["objects", "refs"];

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** The configuration of a bare repository, with no optional settings. */
export const bareSettings = (format: ObjectFormat): string =>
  format === "sha256"
    ? "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n"
    : "[core]\n\trepositoryformatversion = 0\n\tbare = true\n";
