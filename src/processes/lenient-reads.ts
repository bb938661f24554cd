import { type Dirent, readdirSync, readFileSync } from "node:fs";

/** The text of a file; empty if it is missing or unreadable. */
export const textIn = (path: string): string => attempt(() => readFileSync(path, "utf8")) ?? "";

/** The names in a folder; none if it is missing or unreadable. */
export const namesIn = (folder: string): readonly string[] => attempt(() => readdirSync(folder)) ?? [];

/** The entries of a folder with their types; none if it is missing or unreadable. */
export const entriesIn = (folder: string): readonly Dirent[] =>
  attempt(() => readdirSync(folder, { withFileTypes: true })) ?? [];

/** What a function returns; `undefined` if it throws. */
export function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
