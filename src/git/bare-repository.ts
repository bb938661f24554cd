import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../processes/make-folder.ts";
import { removeUnfinished, unfinished } from "../processes/replace-file.ts";
import type { ObjectFormat } from "./objects.ts";

/** A bare repository like that of `git init`, without starting git; parallel creation is safe. */
export function bareRepository(dir: string, name: string, format: ObjectFormat): string {
  const path = join(dir, name);
  if (existsSync(path)) return path;
  makeFolder(dir);
  removeUnfinished(dir, name);
  const making = unfinished(path);
  for (const folder of ["objects", "refs"]) makeFolder(join(making, folder));
  writeFileSync(join(making, "config"), bareSettings(format));
  writeFileSync(join(making, "HEAD"), "ref: refs/heads/none\n");
  try {
    renameSync(making, path);
  } catch (error) {
    rmSync(making, { recursive: true });
    if (!existsSync(path)) throw error;
  }
  return path;
}

/** The settings of a bare repository without others. */
export const bareSettings = (format: ObjectFormat): string =>
  format === "sha256"
    ? "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n"
    : "[core]\n\trepositoryformatversion = 0\n\tbare = true\n";
