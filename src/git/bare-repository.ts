import { existsSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isFolder, makeFolder, makeOwnFolder } from "../processes/make-folder.ts";
import { readRegularFile } from "../processes/regular-file.ts";
import { removeUnfinished, replaceOwnFile, unfinished } from "../processes/replace-file.ts";
import { removeEmptyObjects } from "./empty-objects.ts";
import type { ObjectFormat } from "./objects.ts";

/**
 * Creates a bare repository as `git init --bare` does, without starting git; parallel calls are safe. Repairs an
 * existing one after a power cut: its objects are still at the host, or can be written again.
 */
export function bareRepository(dir: string, name: string, format: ObjectFormat): string {
  const path = join(dir, name);
  // Somebody put a file in its place.
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === false) rmSync(path);
  if (existsSync(path)) {
    repairFrame(path, format);
    removeEmptyObjects(path);
    return path;
  }
  makeFolder(dir);
  removeUnfinished(dir, name);
  const making = unfinished(path);
  for (const folder of folders) makeFolder(join(making, folder));
  for (const [file, content] of framesOf(format)) writeFileSync(join(making, file), content);
  try {
    renameSync(making, path);
  } catch (error) {
    rmSync(making, { recursive: true });
    if (!existsSync(path)) throw error;
  }
  return path;
}

/** True if git can open a bare repository of ours: a power cut or a program may have damaged it. */
export function hasFrame(path: string): boolean {
  const config = readRegularFile(join(path, "config")) ?? "";
  const isSetting = (line: string) => /^(\[\w+( "[^"]*")?\]|\t\w+ = .*|)$/.test(line);
  return (
    folders.every((name) => isFolder(join(path, name))) &&
    readRegularFile(join(path, "HEAD"))?.startsWith("ref: refs/") === true &&
    config.startsWith("[core]\n") &&
    config.split("\n").every(isSetting)
  );
}

/** Writes HEAD, the basic settings and the folders of a bare repository again; its objects and refs stay. */
export function repairFrame(path: string, format: ObjectFormat): void {
  for (const name of folders) if (!isFolder(join(path, name))) makeOwnFolder(join(path, name), 0o777);
  for (const [file, content] of framesOf(format))
    if (readRegularFile(join(path, file)) !== content) replaceOwnFile(join(path, file), content);
}

const folders = ["objects", "refs"];

const framesOf = (format: ObjectFormat) =>
  Object.entries({ config: bareSettings(format), HEAD: "ref: refs/heads/none\n" });

/** The configuration of a bare repository, with no optional settings. */
export const bareSettings = (format: ObjectFormat): string =>
  format === "sha256"
    ? "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n"
    : "[core]\n\trepositoryformatversion = 0\n\tbare = true\n";
