import { matchDollar } from "./dollar-template.ts";
import { type Cursor, copy, copyTo, type Heredoc, look, takeReference } from "./shell-cursor.ts";

const operator = /<<(?:<|-?[ \t]*)/y;
const endWord = /(?:'[^'\n]*'|"[^"\n]*"|\\.|[^\s;&|<>()'"\\`])+/y;

/** At a `<`: registers the heredoc that starts here, if any. */
export function openHeredoc(cursor: Cursor): void {
  const begin = look(cursor, operator)?.[0] ?? "<";
  copy(cursor, begin.length);
  if (!begin.startsWith("<<") || begin.startsWith("<<<")) return;
  const delimiter = look(cursor, endWord)?.[0];
  if (delimiter === undefined) return;
  cursor.heredocs.push({
    delimiter: delimiter.replaceAll(/\\(.)|['"]/g, "$1"),
    quoted: /['"\\]/.test(delimiter),
    stripsTabs: begin.startsWith("<<-"),
    piece: cursor.out.length,
  });
  copy(cursor, delimiter.length);
}

/** At a line's end: reads the bodies of the heredocs that the line announced. */
export function takeHeredocs(cursor: Cursor, scanExpanded: (cursor: Cursor) => void): void {
  const heredocs = cursor.heredocs;
  cursor.heredocs = [];
  for (const heredoc of heredocs) {
    const end = cursor.end;
    const body = bodyOf(cursor, heredoc);
    cursor.end = body.end;
    if (heredoc.quoted) takeQuoted(cursor, heredoc, body.next);
    else scanExpanded(cursor);
    cursor.end = end;
    copyTo(cursor, body.next);
  }
}

interface Body {
  readonly end: number;
  /** Just after the delimiter line. */
  readonly next: number;
}

function bodyOf({ source, at, end }: Cursor, heredoc: Heredoc): Body {
  let isJoined = false;
  for (let start = at; start < end; ) {
    const newline = source.indexOf("\n", start);
    const stop = newline < 0 || newline > end ? end : newline;
    const line = source.slice(start, stop);
    const shown = heredoc.stripsTabs ? line.replace(/^\t+/, "") : line;
    if (shown === heredoc.delimiter && !isJoined) return { end: start, next: stop };
    isJoined = !heredoc.quoted && (/\\+$/.exec(line)?.[0].length ?? 0) % 2 === 1;
    start = stop + 1;
  }
  return { end, next: end };
}

// A body quoted as a whole cannot contain variables, so it is quoted character by character instead.
function takeQuoted(cursor: Cursor, heredoc: Heredoc, next: number): void {
  if (!hasReference(cursor)) return;
  const word = plainWord(cursor, heredoc.delimiter);
  cursor.out[heredoc.piece] = word;
  while (cursor.at < cursor.end) {
    if (cursor.source[cursor.at] === "$" && takeReference(cursor, "heredoc")) continue;
    const dollar = cursor.source.indexOf("$", cursor.at + 1);
    const stop = dollar < 0 ? cursor.end : Math.min(dollar, cursor.end);
    cursor.out.push(cursor.source.slice(cursor.at, stop).replaceAll(/[\\$`]/g, "\\$&"));
    cursor.at = stop;
  }
  if (next > cursor.end && word !== heredoc.delimiter) {
    cursor.out.push(word);
    cursor.at = next;
  }
}

function hasReference({ source, at, end, known }: Cursor): boolean {
  let dollar = source.indexOf("$", at);
  while (dollar >= 0 && dollar < end) {
    const dollarMatch = matchDollar(source, dollar, { known });
    if (dollarMatch.reference !== undefined && dollarMatch.end <= end) return true;
    dollar = source.indexOf("$", dollarMatch.end);
  }
  return false;
}

function plainWord({ source }: Cursor, delimiter: string): string {
  if (/^[\w.-]+$/.test(delimiter)) return delimiter;
  let plain = "UG_END";
  while (source.includes(plain)) plain += "_";
  return plain;
}
