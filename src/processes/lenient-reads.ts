import { type Dirent, readdirSync, readFileSync } from "node:fs";

/** The text of a file; empty if it is missing or unreadable. */
export const textIn = (path: string): string => orElse("", () => readFileSync(path, "utf8"));

/** The names in a folder; none if it is missing or unreadable. */
export const namesIn = (folder: string): readonly string[] => orElse([], () => readdirSync(folder));

/** The entries of a folder with their types; none if it is missing or unreadable. */
export const entriesIn = (folder: string): readonly Dirent[] =>
  orElse([], () => readdirSync(folder, { withFileTypes: true }));

function orElse<T>(fallback: T, read: () => T): T {
  try {
    return read();
  } catch {
    return fallback;
  }
}
