/** A program that checks use, with the files it reads besides the code. */
export interface Tool {
  readonly id: string;
  /** Matches if a check, or a script that it calls, starts the program. */
  readonly called: RegExp;
  /** Files that configure it, as globs relative to the workspace: they are protected, and none may be added. */
  readonly config: readonly string[];
  /** Files that contain other things too, and the part of them that is protected. */
  readonly parts?: readonly ConfigPart[];
}

/** A protected part of a file. In `file`, `**` and `*` work as in a glob. */
export type ConfigPart =
  /**
   * In a JSON object: the values at these keys. Entries whose names match `mayAdd` may be added. With `versions`, the
   * versions of packages from a registry may change. With `values`, only entries whose text matches are protected.
   */
  | {
      readonly kind: "json";
      readonly file: string;
      readonly keys: readonly string[];
      readonly mayAdd?: RegExp;
      readonly versions?: boolean;
      readonly values?: RegExp;
      /** New files must not contain other entries than those that may be added. */
      readonly alsoNew?: boolean;
    }
  /** In JSON or TOML: the values whose path and text match, written as `dependencies > chai: ^4.0.0`. */
  | {
      readonly kind: "entries";
      readonly file: string;
      readonly entries: RegExp;
      /** New files must not contain such entries either. */
      readonly alsoNew?: boolean;
      /** A table that did not exist may have such entries. */
      readonly mayBeNew?: boolean;
    }
  /** In TOML: the values at these dotted keys. */
  | { readonly kind: "toml"; readonly file: string; readonly keys: readonly string[] }
  /** In an INI file: the sections whose names match. */
  | { readonly kind: "ini"; readonly file: string; readonly sections: RegExp }
  /** In any text: the matching lines, in order. New lines that match `mayAdd` may be added. */
  | {
      readonly kind: "lines";
      readonly file: string;
      readonly lines: RegExp;
      readonly mayAdd?: RegExp;
      /** New files must not contain such lines either. */
      readonly alsoNew?: boolean;
    };

/** A program's name in shell text, possibly with a path in front. */
export const program = (names: string) => new RegExp(`(?:^|[^\\w@.-])(?:\\S*/)?(?:${names})(?![\\w-])`, "m");

export const anywhere = (...names: readonly string[]) => names.map((name) => `**/${name}`);
