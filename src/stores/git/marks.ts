import { readFileSync, rmSync } from "node:fs";
import { isPlainFile } from "../../processes/path-kind.ts";
import { replaceFile } from "../../processes/replace-file.ts";

/** A small text that this machine keeps about a run; empty if there is none, or something else is in its place. */
export const readMark = (path: string): string => (isPlainFile(path) ? readFileSync(path, "utf8") : "");

/** Replaced atomically, because half of a mark would be wrong. */
export function writeMark(path: string, text: string): void {
  if (!isPlainFile(path)) rmSync(path, { recursive: true, force: true });
  replaceFile(path, text);
}
