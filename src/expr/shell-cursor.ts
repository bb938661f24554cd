import { matchDollar } from "./dollar.ts";
import type { Reference } from "./text.ts";

/** How far the scanner has read a script, and what it has written. */
export interface Cursor {
  readonly source: string;
  readonly known: ReadonlySet<string>;
  /** Pieces of the new script; a heredoc may still change the piece that names its end. */
  readonly out: string[];
  at: number;
  end: number;
  depth: number;
  /** Heredocs announced on this line, whose bodies follow. */
  heredocs: Heredoc[];
  name(reference: Reference, offset: number): string;
}

export interface Heredoc {
  /** The line that ends it. */
  readonly word: string;
  /** Nothing in the body is expanded. */
  readonly quoted: boolean;
  readonly stripsTabs: boolean;
  /** Where in `out` the word stands. */
  readonly piece: number;
}

/** Where a reference stands, as far as it matters for how its variable must be written. */
export type Context =
  | "command"
  | "double"
  | "single"
  | "ansi"
  | "heredoc"
  | "number"
  /** In a script for another shell that stands in double quotes, by that shell's quotes. */
  | "inner-command"
  | "inner-double"
  | "inner-single";

/** Copies what stands between here and `to`. */
export function copyTo(cursor: Cursor, to: number): void {
  const stop = Math.min(to, cursor.end);
  if (stop > cursor.at) cursor.out.push(cursor.source.slice(cursor.at, stop));
  cursor.at = stop;
}

/** Copies the next `count` characters. */
export function copy(cursor: Cursor, count: number): void {
  copyTo(cursor, cursor.at + count);
}

/** Whether the text goes on with `wanted` here. */
export function isNext(cursor: Cursor, wanted: string): boolean {
  return cursor.at + wanted.length <= cursor.end && cursor.source.startsWith(wanted, cursor.at);
}

/** Matches a sticky pattern here; what reaches over the end does not count. */
export function look(cursor: Cursor, pattern: RegExp): RegExpExecArray | undefined {
  pattern.lastIndex = cursor.at;
  const found = pattern.exec(cursor.source) ?? undefined;
  return found !== undefined && cursor.at + found[0].length <= cursor.end ? found : undefined;
}

/** At a `$`: writes the variable of the reference that stands here, or says that none does. */
export function takeReference(cursor: Cursor, context: Context): boolean {
  const { reference, end } = matchDollar(cursor.source, cursor.at, { known: cursor.known });
  if (reference === undefined || end > cursor.end) return false;
  const name = cursor.name(reference, cursor.at);
  const isNumber = context === "number" || (context !== "heredoc" && isCompared(cursor, end));
  // Bash evaluates what it takes for a number, commands in subscripts included: only digits may get there.
  const variable = isNumber ? `\${${name}//[!0-9+[:space:]-]/.}` : `\${${name}}`;
  cursor.out.push(written(variable, context));
  cursor.at = end;
  return true;
}

function written(variable: string, context: Context): string {
  switch (context) {
    case "command":
      return `"${variable}"`;
    case "single":
      return `'"${variable}"'`;
    case "ansi":
      return `'"${variable}"$'`;
    case "inner-command":
      return `\\"\\${variable}\\"`;
    case "inner-double":
      return `\\${variable}`;
    case "inner-single":
      return `'\\"\\${variable}\\"'`;
    case "double":
    case "heredoc":
    case "number":
      return variable;
  }
}

const comparedAfter = /["']?[ \t]+-(?:eq|ne|l[te]|g[te])(?!\w)/y;
const comparedBefore = /[ \t]-(?:eq|ne|l[te]|g[te])[ \t]+["']?$/;

// The operand of `[[ … -gt … ]]` is evaluated as a number.
function isCompared(cursor: Cursor, end: number): boolean {
  comparedAfter.lastIndex = end;
  if (comparedAfter.test(cursor.source)) return true;
  return comparedBefore.test(cursor.source.slice(Math.max(0, cursor.at - 16), cursor.at));
}
