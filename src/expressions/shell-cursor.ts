import { matchDollar } from "./dollar-template.ts";
import type { Reference } from "./template.ts";

/** The scanner's position in a script, and its output so far. */
export interface Cursor {
  readonly source: string;
  readonly known: ReadonlySet<string>;
  /** Pieces of the new script; a heredoc may still change the piece with its delimiter. */
  readonly out: string[];
  at: number;
  end: number;
  depth: number;
  /** Heredocs announced on this line, whose bodies follow. */
  heredocs: Heredoc[];
  name(reference: Reference, offset: number): string;
}

export interface Heredoc {
  /** Its delimiter line. */
  readonly delimiter: string;
  /** True if nothing in the body is expanded. */
  readonly quoted: boolean;
  readonly stripsTabs: boolean;
  /** Index of the delimiter word in `out`. */
  readonly piece: number;
}

/** The context of a reference, which decides how its variable is written. */
export type Context =
  | "command"
  | "double"
  | "single"
  | "ansi"
  | "heredoc"
  | "number"
  /** Inside double quotes that hold another shell's script: that shell's own quotes. */
  | "inner-command"
  | "inner-double"
  | "inner-single";

/** Copies the source up to `to`. */
export function copyTo(cursor: Cursor, to: number): void {
  const stop = Math.min(to, cursor.end);
  if (stop > cursor.at) cursor.out.push(cursor.source.slice(cursor.at, stop));
  cursor.at = stop;
}

/** Copies the next `count` characters. */
export function copy(cursor: Cursor, count: number): void {
  copyTo(cursor, cursor.at + count);
}

/** True if the source continues with `wanted` here. */
export function isNext(cursor: Cursor, wanted: string): boolean {
  return cursor.at + wanted.length <= cursor.end && cursor.source.startsWith(wanted, cursor.at);
}

/** Matches a sticky pattern here; a match past the end does not count. */
export function look(cursor: Cursor, pattern: RegExp): RegExpExecArray | undefined {
  pattern.lastIndex = cursor.at;
  const match = pattern.exec(cursor.source) ?? undefined;
  return match !== undefined && cursor.at + match[0].length <= cursor.end ? match : undefined;
}

/** At a `$`: writes the variable of the reference here, or reports that there is none. */
export function takeReference(cursor: Cursor, context: Context): boolean {
  const { reference, end } = matchDollar(cursor.source, cursor.at, { known: cursor.known });
  if (reference === undefined || end > cursor.end) return false;
  const name = cursor.name(reference, cursor.at);
  const isNumber = context === "number" || (context !== "heredoc" && isCompared(cursor, end));
  // Bash evaluates numeric operands, including commands in subscripts: allow only digits there.
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

// Operands of `[[ … -gt … ]]` are evaluated as numbers.
function isCompared(cursor: Cursor, end: number): boolean {
  comparedAfter.lastIndex = end;
  if (comparedAfter.test(cursor.source)) return true;
  return comparedBefore.test(cursor.source.slice(Math.max(0, cursor.at - 16), cursor.at));
}
