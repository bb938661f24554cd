import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { attempt } from "./lenient-reads.ts";
import { makeFolder } from "./make-folder.ts";
import { removeAll } from "./remove-all.ts";
import { makeTempFolder, removeStorage, storageFolder } from "./temp-folder.ts";

/** A folder of one run, which no program can reach, with what programs get in place of shared folders. */
export interface PrivateFolder {
  readonly path: string;
  /** A folder in it, which is created. */
  folder(name: string): string;
  /** A file in it with this content; the same content has the same path. */
  file(content: string): string;
  remove(): void;
}

/** Removed when this process exits, or by a later one if it is killed. */
export function makePrivateFolder(): PrivateFolder {
  const path = makeTempFolder("run", storageFolder());
  const remove = () => {
    ours.delete(remove);
    removeAll(path);
  };
  if (!isWatched) process.once("exit", removeOurs);
  isWatched = true;
  ours.add(remove);
  const written = new Set<string>();
  return {
    path,
    folder: (name) => makeFolder(join(path, name), 0o700),
    file(content) {
      const file = join(path, `file-${createHash("sha256").update(content).digest("hex").slice(0, 24)}`);
      if (!written.has(file)) writeFileSync(file, content, { mode: 0o444 });
      written.add(file);
      return file;
    },
    remove,
  };
}

const ours = new Set<() => void>();

let isWatched = false;

function removeOurs(): void {
  for (const remove of ours) attempt(remove);
  removeStorage();
}

/** The folder that stands for another one. */
export const folderFor = (place: PrivateFolder, path: string, kind: string): string =>
  place.folder(`${kind}${path.replaceAll("/", "-")}`);
