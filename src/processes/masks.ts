import { statSync } from "node:fs";
import { listeningSockets } from "./escape-sockets.ts";
import { shellWord } from "./shell-word.ts";

/** A path that programs behind the process wall find empty. */
export interface Mask {
  readonly path: string;
  readonly isFolder: boolean;
}

/** The existing ones of these paths, and the sockets that are open now. */
export const present = (paths: readonly string[]): readonly Mask[] =>
  [...new Set([...paths, ...listeningSockets()])].flatMap((path) => {
    try {
      return [{ path, isFolder: statSync(path).isDirectory() }];
    } catch {
      return [];
    }
  });

/** Shell code that hides a path; `fail` ends the shell. A path that has disappeared meanwhile needs no mask. */
export function maskOf(mount: string, { path, isFolder }: Mask): string {
  const quoted = shellWord(path);
  const how = isFolder
    ? `${mount} -t tmpfs -o ro,mode=0555,size=4k tmpfs ${quoted}`
    : `${mount} --bind /dev/null ${quoted}`;
  return `${how} 2>/dev/null || [ ! -e ${quoted} ] || fail`;
}
