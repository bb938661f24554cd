import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

/** The files below a folder. */
export const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));

/** The deterministic part of the disk's content: names without ids, sizes, and the lines of texts. */
export const stateBelow = (folder: string): string =>
  filesBelow(folder)
    .map((path) => `${withoutIds(path)} ${contentOf(path, join(folder, path))}`)
    .toSorted()
    .join("\n");

export const withoutIds = (path: string): string =>
  path
    .replace(/[0-9a-f]{12,}/g, "ID")
    .replace(/\d{2,}/g, "N")
    .replace(/-[A-Za-z0-9]{6}(?=\/)/g, "-TEMP");

function contentOf(path: string, file: string): string {
  if (/\/objects\//.test(path)) return "";
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return "";
  if (/\.jsonl|calls$/.test(path)) return readFileSync(file, "utf8").replace(/[^\n]+/g, "x");
  return `${lstatSync(file, { throwIfNoEntry: false })?.size}`;
}
