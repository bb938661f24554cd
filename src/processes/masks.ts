import { statSync } from "node:fs";
import { listeningSockets } from "./escape-sockets.ts";
import { shellWord } from "./shell-word.ts";

/** What programs behind the process wall find empty. */
export interface Mask {
  readonly path: string;
  readonly isFolder: boolean;
}

/** Those that are there, and the sockets that are open now. */
export const present = (paths: readonly string[]): readonly Mask[] =>
  [...new Set([...paths, ...listeningSockets()])].flatMap((path) => {
    try {
      return [{ path, isFolder: statSync(path).isDirectory() }];
    } catch {
      return [];
    }
  });

/** The shell that hides it; `fail` ends the shell. What is gone by now need not be hidden. */
export function maskOf(mount: string, { path, isFolder }: Mask): string {
  const quoted = shellWord(path);
  const how = isFolder
    ? `${mount} -t tmpfs -o ro,mode=0555,size=4k tmpfs ${quoted}`
    : `${mount} --bind /dev/null ${quoted}`;
  return `${how} 2>/dev/null || [ ! -e ${quoted} ] || fail`;
}
