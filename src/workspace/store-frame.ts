import { lstatSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { bareSettings } from "../git/bare-repository.ts";
import type { ObjectFormat } from "../git/objects.ts";
import { makeFolder } from "../processes/make-folder.ts";
import { replaceFile } from "../processes/replace-file.ts";

const folders = ["info", "objects", "refs"];

/** True if git can open a private repository: a power cut or a program may have damaged it. */
export function hasFrame(store: string): boolean {
  const isFrame = (line: string) => /^(\[\w+( "[^"]*")?\]|\t\w+ = .*|)$/.test(line);
  return (
    folders.every((name) => kindOf(join(store, name))?.isDirectory()) &&
    textOf(join(store, "HEAD"))?.startsWith("ref: refs/") === true &&
    textOf(join(store, "config"))?.startsWith("[core]\n") === true &&
    textOf(join(store, "config"))?.split("\n").every(isFrame) === true
  );
}

/** Writes a private repository's HEAD, basic settings and folders again; its objects and refs stay. */
export function writeFrame(store: string, format: ObjectFormat): void {
  for (const name of folders) {
    const path = join(store, name);
    if (kindOf(path)?.isDirectory() !== true) rmSync(path, { force: true });
    makeFolder(path);
  }
  for (const [name, text] of [
    ["HEAD", "ref: refs/heads/master\n"] as const,
    ["config", bareSettings(format)] as const,
  ]) {
    const path = join(store, name);
    if (kindOf(path)?.isFile() !== true) rmSync(path, { recursive: true, force: true });
    replaceFile(path, text);
  }
}

const kindOf = (path: string) => lstatSync(path, { throwIfNoEntry: false });

const textOf = (path: string) => (kindOf(path)?.isFile() === true ? readFileSync(path, "utf8") : undefined);
