import { type Context, type Cursor, copy } from "./shell-cursor.ts";

const nestedShell = /(?:^|[\s/])(?:ba|da|z)?sh(?:[ \t]+-[a-z]+)*[ \t]+-[a-z]*c[ \t]+$/;

/**
 * True if the string that starts here is a script for another shell, as in `bash -c "…"`. That shell must read the
 * variables from the environment itself: if the outer shell expanded them, their values would become source.
 */
export function isNestedScript(cursor: Cursor): boolean {
  return nestedShell.test(cursor.source.slice(Math.max(0, cursor.at - 64), cursor.at));
}

/** Parses another shell's script in single quotes: to that shell it is an ordinary script. */
export function takeSingleScript(cursor: Cursor, scan: (cursor: Cursor) => void): void {
  const { end, heredocs } = cursor;
  copy(cursor, 1);
  const close = cursor.source.indexOf("'", cursor.at);
  cursor.end = close < 0 ? end : Math.min(close, end);
  cursor.heredocs = [];
  scan(cursor);
  cursor.heredocs = heredocs;
  cursor.end = end;
  copy(cursor, 1);
}

/** Parses another shell's script in double quotes: escaped quotes are that shell's own. */
export function takeDoubleScript(
  cursor: Cursor,
  takeDollar: (cursor: Cursor, context: Context) => void,
): void {
  let context: Context = "inner-command";
  copy(cursor, 1);
  while (cursor.at < cursor.end && cursor.source[cursor.at] !== '"') {
    const next = cursor.source[cursor.at];
    const isEscape = next === "\\";
    const token = isEscape ? `\\${cursor.source[cursor.at + 1]}` : next;
    if (token === '\\"') context = toggled(context, "inner-double");
    if (token === "'") context = toggled(context, "inner-single");
    if (next === "$") takeDollar(cursor, context);
    else copy(cursor, isEscape ? 2 : 1);
  }
  copy(cursor, 1);
}

function toggled(context: Context, quotes: Context): Context {
  if (context === quotes) return "inner-command";
  return context === "inner-command" ? quotes : context;
}
