import type { Block, Failing, NamedTest, Summary } from "./printed.ts";

/** A program that checks use, in one row: how it is called, what configures it, and what it prints. */
export interface Tool {
  readonly id: string;
  /** Matches if a check, or a script that it calls, starts the program. Without it, others start it. */
  readonly called?: RegExp;
  /** Files that configure it, as globs relative to the workspace: they are protected, and none may be added. */
  readonly config?: readonly string[];
  /** Files that contain other things too, and the part of them that is protected. */
  readonly parts?: readonly ConfigPart[];
  /** The name of a test runner in events, if it is not the id. */
  readonly runner?: string;
  /** The summary at the end of its output; with named groups only, if these are all the counts. */
  readonly summary?: Summary | RegExp;
  /** Reads the names of tests in its output. */
  readonly tests?: (text: string) => readonly NamedTest[];
  /** Reads the files of its tests; `undefined` if the list is incomplete. */
  readonly files?: (text: string) => readonly string[] | undefined;
  /** It prints TAP. */
  readonly tap?: true;
  /** Where it names failing tests; the more specific ways first. */
  readonly failing?: Failing | RegExp | readonly (Failing | RegExp)[];
  /** What the tests themselves printed, if it shows that only of those that failed. */
  readonly output?: Block;
  /** Options in a call with which another part of the tests may run each time. */
  readonly partial?: RegExp;
  /** Lines that say that it ran no test. A failing test may print anything, so they are specific to the tool. */
  readonly nothing?: RegExp;
  /** Lines about passing tests, or for the developers of the tool. */
  readonly noise?: RegExp;
}

/** A protected part of a file. In `file`, `**` and `*` work as in a glob. */
export type ConfigPart =
  /**
   * In a JSON object: the values at these keys. Entries whose names match `mayAdd` may be added. With `versions`, the
   * versions of packages from a registry may change. With `values`, only entries whose text matches are protected.
   */
  | ({ readonly kind: "json"; readonly file: string; readonly keys: readonly string[] } & JsonOptions)
  /** In JSON or TOML: the values whose path and text match, written as `dependencies > chai: ^4.0.0`. */
  | ({ readonly kind: "entries"; readonly file: string; readonly entries: RegExp } & EntryOptions)
  /** In TOML: the values at these dotted keys. */
  | { readonly kind: "toml"; readonly file: string; readonly keys: readonly string[] }
  /** In an INI file: the sections whose names match. */
  | { readonly kind: "ini"; readonly file: string; readonly sections: RegExp }
  /** In any text: the matching lines, in order. New lines that match `mayAdd` may be added. */
  | ({ readonly kind: "lines"; readonly file: string; readonly lines: RegExp } & LineOptions);

interface LineOptions {
  readonly mayAdd?: RegExp;
  /** A new file must not contain such a part either, except what may be added. */
  readonly alsoNew?: boolean;
}

interface JsonOptions extends LineOptions {
  readonly versions?: boolean;
  readonly values?: RegExp;
}

interface EntryOptions extends Pick<LineOptions, "alsoNew"> {
  /** A table that did not exist may have such entries. */
  readonly mayBeNew?: boolean;
}

export const json = (file: string, keys: string, options: JsonOptions = {}): ConfigPart => ({
  kind: "json",
  file,
  keys: keys.split(" "),
  ...options,
});

export const entries = (file: string, pattern: RegExp, options: EntryOptions = {}): ConfigPart => ({
  kind: "entries",
  file,
  entries: pattern,
  ...options,
});

export const toml = (file: string, keys: string): ConfigPart => ({
  kind: "toml",
  file,
  keys: keys.split(" "),
});

export const ini = (file: string, sections: RegExp): ConfigPart => ({ kind: "ini", file, sections });

export const lines = (file: string, pattern: RegExp, options: LineOptions = {}): ConfigPart => ({
  kind: "lines",
  file,
  lines: pattern,
  ...options,
});

/** A program's name in shell text, or at the end of a path. */
export const program = (names: string) => new RegExp(`(?:^|[^\\w@.-])(?:${names})(?![\\w-])`, "m");

/** Globs for files in any folder, from names that are separated by spaces. */
export const anywhere = (...names: readonly string[]) =>
  names.flatMap((some) => some.split(" ").map((name) => `**/${name}`));
