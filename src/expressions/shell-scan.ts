import { type Context, type Cursor, copy, isNext, look, takeReference } from "./shell-cursor.ts";
import { openHeredoc, takeHeredocs } from "./shell-heredoc.ts";
import { isNestedScript, takeDoubleScript, takeSingleScript } from "./shell-nested.ts";

interface Nest {
  /** The token that ends this list of commands. */
  readonly close: ")" | "`" | "'" | undefined;
  parens: number;
  cases: number;
}

const maxDepth = 200;
const plainCommand = /[^\s\\'"`$#()<]+/y;
const plainDouble = /[^\\"`$]+/y;
const plainHeredoc = /[^\\`$]+/y;
const plainSingle = /[^'$]+/y;
const comment = /#[^\n]*/y;
const innerComment = /#[^\n`]*/y;
const plainAnsi = /[^'$\\]+/y;

/** Parses commands to the end of the text, or past `close`. */
export function scanCommand(cursor: Cursor, close?: Nest["close"]): void {
  const nest: Nest = { close, parens: 0, cases: 0 };
  cursor.depth++;
  while (cursor.at < cursor.end) {
    if (cursor.source[cursor.at] === close && isOver(nest)) {
      copy(cursor, 1);
      break;
    }
    (commandSteps[cursor.source[cursor.at] ?? ""] ?? takeWord)(cursor, nest);
  }
  cursor.depth--;
}

// The `)` of a pattern in `case … esac` closes nothing.
function isOver(nest: Nest): boolean {
  return nest.close !== ")" || (nest.parens === 0 && nest.cases === 0);
}

type Step = (cursor: Cursor, nest: Nest) => void;

const commandSteps: Readonly<Record<string, Step>> = {
  "\\": (cursor) => copy(cursor, 2),
  "'": takeSingle,
  '"': takeDouble,
  "`": (cursor) => takeBackticks(cursor),
  $: (cursor) => takeDollar(cursor, "command"),
  "#": takeComment,
  "<": (cursor) => openHeredoc(cursor),
  "(": takeParenthesis,
  ")": (cursor, nest) => {
    nest.parens = Math.max(0, nest.parens - 1);
    copy(cursor, 1);
  },
  "\n": (cursor) => {
    copy(cursor, 1);
    takeHeredocs(cursor, (body) => scanExpanded(body, plainHeredoc, "heredoc"));
  },
};

const subscript = /[A-Za-z_]\w*\[(?=[^\n]{0,200}\]\+?=)/y;
const keyword = /(?:case(?=\s)|esac(?!\w)|let(?=\s))/y;

function takeWord(cursor: Cursor, nest: Nest): void {
  const element = isWordStart(cursor) ? look(cursor, subscript) : undefined;
  const word = isWordStart(cursor) ? look(cursor, keyword)?.[0] : undefined;
  if (word === "case" && isCommandStart(cursor)) nest.cases++;
  if (word === "esac") nest.cases = Math.max(0, nest.cases - 1);
  if (word === "let" && isCommandStart(cursor)) takeNumber(cursor, "\n;&|", 0);
  else if (element === undefined) copy(cursor, look(cursor, plainCommand)?.[0].length ?? 1);
  else {
    copy(cursor, element[0].length);
    takeSubscript(cursor);
  }
}

function isWordStart(cursor: Cursor): boolean {
  return cursor.at === 0 || /[\s;&|()<>`]/.test(cursor.source[cursor.at - 1] ?? " ");
}

function isCommandStart(cursor: Cursor): boolean {
  const before = cursor.source.slice(Math.max(0, cursor.at - 32), cursor.at);
  return before.trim() === "" || /(?:[\n;&|({`!]|(?:^|\s)(?:do|then|else|time))[ \t]*$/.test(before);
}

function takeComment(cursor: Cursor, nest: Nest): void {
  const length = isWordStart(cursor)
    ? look(cursor, nest.close === "`" ? innerComment : comment)?.[0].length
    : 1;
  copy(cursor, length ?? 1);
}

function takeParenthesis(cursor: Cursor, nest: Nest): void {
  if (isNext(cursor, "((") && isArithmetic(cursor, cursor.at)) {
    copy(cursor, 2);
    takeNumber(cursor, ")", 2);
  } else {
    nest.parens++;
    copy(cursor, 1);
  }
}

// `((` is arithmetic if its two closing brackets are adjacent; else it is a group in a group.
function isArithmetic({ source, end }: Cursor, start: number): boolean {
  let depth = 0;
  for (let at = start; at < Math.min(end, start + 4096); at++) {
    if (source[at] === "(") depth++;
    if (source[at] === ")" && --depth === 1) return source[at + 1] === ")";
  }
  return true;
}

function takeSingle(cursor: Cursor, nest: Nest): void {
  if (nest.close !== "'" && isNestedScript(cursor)) {
    takeSingleScript(cursor, (inner) => scanCommand(inner, "'"));
    return;
  }
  copy(cursor, 1);
  scanQuoted(cursor, plainSingle, "single");
}

function scanQuoted(cursor: Cursor, plain: RegExp, context: "single" | "ansi"): void {
  while (cursor.at < cursor.end && cursor.source[cursor.at] !== "'") {
    const next = cursor.source[cursor.at];
    if (next === "\\" && context === "ansi") copy(cursor, 2);
    else if (next !== "$") copy(cursor, look(cursor, plain)?.[0].length ?? 1);
    else if (!takeReference(cursor, context)) copy(cursor, 1);
  }
  copy(cursor, 1);
}

function takeDouble(cursor: Cursor, nest?: Nest): void {
  if (nest !== undefined && nest.close !== "'" && isNestedScript(cursor)) {
    takeDoubleScript(cursor, takeDollar);
    return;
  }
  copy(cursor, 1);
  scanExpanded(cursor, plainDouble, "double");
  copy(cursor, 1);
}

// Scans up to a double quote, or to the end where a double quote is an ordinary character.
function scanExpanded(cursor: Cursor, plain: RegExp, context: "double" | "heredoc"): void {
  while (cursor.at < cursor.end) {
    const next = cursor.source[cursor.at];
    if (next === '"' && context === "double") return;
    if (next === "\\") copy(cursor, 2);
    else if (next === "`") takeBackticks(cursor);
    else if (next === "$") takeDollar(cursor, context);
    else copy(cursor, look(cursor, plain)?.[0].length ?? 1);
  }
}

function takeBackticks(cursor: Cursor): void {
  copy(cursor, 1);
  if (cursor.depth < maxDepth) scanCommand(cursor, "`");
}

function takeDollar(cursor: Cursor, context: Context): void {
  if (takeReference(cursor, context)) return;
  if (isNext(cursor, "$$")) copy(cursor, 2);
  else if (cursor.depth >= maxDepth) copy(cursor, 1);
  else if (isNext(cursor, "$((") && isArithmetic(cursor, cursor.at + 1)) {
    copy(cursor, 3);
    takeNumber(cursor, ")", 2);
  } else if (isNext(cursor, "$(")) {
    copy(cursor, 2);
    scanCommand(cursor, ")");
  } else if (isNext(cursor, "$[")) {
    copy(cursor, 2);
    takeNumber(cursor, "]", 1);
  } else if (isNext(cursor, "${")) takeBraces(cursor, context);
  else if (isNext(cursor, "$'") && context === "command") {
    copy(cursor, 2);
    scanQuoted(cursor, plainAnsi, "ansi");
  } else copy(cursor, 1);
}

const parameter = /\$\{[#!]?(?:\w+|[@*#?$!-])?/y;

function takeBraces(cursor: Cursor, context: Context): void {
  copy(cursor, look(cursor, parameter)?.[0].length ?? 2);
  cursor.depth++;
  if (isNext(cursor, "[")) {
    copy(cursor, 1);
    takeSubscript(cursor);
  }
  if (/^:[^-=?+]/.test(cursor.source.slice(cursor.at, cursor.at + 2))) takeNumber(cursor, "}", 1);
  else scanBraces(cursor, context);
  cursor.depth--;
}

function scanBraces(cursor: Cursor, context: Context): void {
  while (cursor.at < cursor.end && cursor.source[cursor.at] !== "}") {
    const next = cursor.source[cursor.at] ?? "";
    if (next === "$") takeDollar(cursor, context);
    else if (next === "'" && context !== "command") copy(cursor, 1);
    else if (`\\'"\``.includes(next)) commandSteps[next]?.(cursor, { close: undefined, parens: 0, cases: 0 });
    else copy(cursor, 1);
  }
  copy(cursor, 1);
}

// The key of an associative array is text; every other subscript is a number.
function takeSubscript(cursor: Cursor): void {
  if (!/(?:declare|local|typeset) -[a-zA-Z]*A/.test(cursor.source)) takeNumber(cursor, "]", 1);
}

const opens: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

// In arithmetic, quotes protect nothing, so they are ordinary characters.
function takeNumber(cursor: Cursor, close: ")" | "]" | "}" | "\n;&|", count: 0 | 1 | 2): void {
  let depth = 0;
  cursor.depth++;
  while (cursor.at < cursor.end) {
    const next = cursor.source[cursor.at] ?? "";
    if (close.includes(next) && depth === 0) break;
    depth += Number(next === opens[close]) - Number(next === close);
    if (next === "$") takeDollar(cursor, "number");
    else if (next === "`") takeBackticks(cursor);
    else copy(cursor, next === "\\" ? 2 : 1);
  }
  copy(cursor, count);
  cursor.depth--;
}
