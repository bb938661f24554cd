import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** How to test a project, and what a fresh machine needs for it. */
export interface Project {
  /** The test tool, for people: `npm`, `pytest with uv`. */
  readonly tool: string;
  /** Bash that runs the tests, in the project's folder. */
  readonly check: string;
  /** Bash that installs what the tests need; `undefined` if the tool does that itself. */
  readonly install: string | undefined;
  /** Steps of a GitHub workflow that install the language: YAML list items without indentation. */
  readonly setup: readonly string[];
  /** A folder in the project with a virtual environment of Python, which people activate. */
  readonly environment?: string;
  /** Advice for the author. */
  readonly note?: string;
}

/** A folder's content, as detectors query it. */
export interface Folder {
  has(path: string): boolean;
  /**
   * The nearest file of this name here or in a parent folder, up to the top of the repository: packages of a
   * workspace share some.
   */
  find(name: string): string | undefined;
  /** The text of a file, empty if there is none. */
  read(path: string): string;
  /** The names of files and folders in it. */
  names(path?: string): readonly string[];
  /** The names of the folders in it. */
  folders(path: string): readonly string[];
}

/** `top` is the top of the repository, or the folder itself. */
export function openFolder(path: string, top = path): Folder {
  const find = (name: string, at = path): string | undefined => {
    if (existsSync(join(at, name))) return relative(top, join(at, name));
    return at === top || at === dirname(at) ? undefined : find(name, dirname(at));
  };
  return {
    has: (name) => existsSync(join(path, name)),
    find: (name) => find(name),
    read(name) {
      try {
        return readFileSync(join(path, name), "utf8");
      } catch {
        return "";
      }
    },
    names(name = "") {
      try {
        return readdirSync(join(path, name));
      } catch {
        return [];
      }
    },
    folders(name) {
      try {
        const entries = readdirSync(join(path, name), { withFileTypes: true });
        return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
      } catch {
        return []; // one that may not be read holds no project of ours
      }
    },
  };
}
