/** The files that a check's program reads besides the code. */
export interface Tool {
  readonly id: string;
  /** Whether a check, or a script that it calls, starts it. */
  readonly called: RegExp;
  /** Files that configure it, relative to the workspace: they are protected, and none may be added. */
  readonly config: readonly string[];
  /** Files that hold more than its configuration, and which part of them is kept. */
  readonly parts?: readonly ConfigPart[];
}

/** A protected part of a file. `**` and `*` in `file` as in a glob. */
export type ConfigPart =
  /**
   * Of a JSON object: the values under these keys; entries with names of a form may be added to them, and the
   * versions of packages from a registry may change.
   */
  | {
      readonly kind: "json";
      readonly file: string;
      readonly keys: readonly string[];
      readonly mayAdd?: RegExp;
      readonly versions?: boolean;
    }
  /** Of TOML: the values under these keys, dotted. */
  | { readonly kind: "toml"; readonly file: string; readonly keys: readonly string[] }
  /** Of an INI file: sections whose names match. */
  | { readonly kind: "ini"; readonly file: string; readonly sections: RegExp }
  /** Of any text: the lines that match, in their order; new lines of a form may come in between. */
  | {
      readonly kind: "lines";
      readonly file: string;
      readonly lines: RegExp;
      readonly mayAdd?: RegExp;
      /** A new file may not have such lines either. */
      readonly alsoNew?: boolean;
    };

/** A word of a shell script, maybe behind a path. */
export const word = (names: string) => new RegExp(`(?:^|[^\\w@.-])(?:\\S*/)?(?:${names})(?![\\w-])`, "m");

export const anywhere = (...names: readonly string[]) => names.map((name) => `**/${name}`);
