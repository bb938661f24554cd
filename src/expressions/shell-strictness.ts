/**
 * What `-eo pipefail` changes for a script that was written without it, as a clause; `undefined` if nothing. It reads the
 * commands as bash does, without running them: a script without a pipe, a loop or a command after another one has the
 * same result with these options.
 */
export function whatStrictnessChanges(script: string): string | undefined {
  const found: Found = { steps: false, pipes: false };
  const options = /^(?:\s|#.*\n)*set((?: +[-+]\w+(?: +\w+)?)+)/.exec(script)?.[1] ?? "";
  scanList({ text: script, at: 0, heredocs: [], found }, "");
  if (found.steps && !/[-+]\w*e/.test(options)) return "it ends at the first command that fails";
  if (found.pipes && !options.includes("pipefail")) return "a pipe fails if one of its programs fails";
  return undefined;
}

interface Found {
  /** A command follows another one, or is repeated. */
  steps: boolean;
  pipes: boolean;
}

interface Reader {
  readonly text: string;
  at: number;
  /** The ends of the heredocs that begin on the next line. */
  heredocs: string[];
  readonly found: Found;
}

const openers = new Set(["if", "then", "else", "elif", "while", "until", "do", "{", "!", "time"]);
const closers = new Set(["then", "else", "elif", "fi", "do", "done", "esac", "}"]);

/** The place in a list of commands. */
interface Place {
  /** What the next word begins or continues. */
  at: "command" | "arguments" | "pattern" | "test";
  /** A command has ended, and another one may follow. */
  hasEnded: boolean;
  cases: number;
}

/** Reads a list of commands to the end of the text, or past `close`. */
function scanList(reader: Reader, close: "" | ")" | "`"): void {
  const place: Place = { at: "command", hasEnded: false, cases: 0 };
  while (reader.at < reader.text.length) {
    if (close !== "" && reader.text[reader.at] === close && place.at !== "pattern") {
      reader.at += 1;
      return;
    }
    if (take(reader, /(?:[^\S\n]|\\\n)+/y) !== undefined) continue;
    if (take(reader, /#.*/y) !== undefined) continue;
    const heredoc = take(reader, /<<-?[ \t]*(?:'[^'\n]*'|"[^"\n]*"|\\?[^\s;&|<>()'"]+)/y);
    if (heredoc !== undefined && !heredoc.startsWith("<<<"))
      reader.heredocs.push(heredoc.replace(/^<<-?[ \t]*/, "").replaceAll(/['"\\]/g, ""));
    else if (take(reader, /<<<|[<>]&|&>>?|>\||>>|<>|[<>](?!\()/y) === undefined) scanStep(reader, place);
  }
}

/** Reads an operator, a group or a word. */
function scanStep(reader: Reader, place: Place): void {
  const operator = take(reader, /;;&?|;&|&&|\|\||\|&?|[;&\n]/y);
  if (operator !== undefined) afterOperator(reader, place, operator);
  else if (take(reader, /[<>]?\(/y) !== undefined) scanGroup(reader, place);
  else if (take(reader, /\)/y) === undefined) afterWord(reader, place, scanWord(reader));
  else if (place.at === "pattern") place.at = "command";
}

function scanGroup(reader: Reader, place: Place): void {
  afterWord(reader, place, "(");
  if (place.at === "pattern") return;
  scanList(reader, ")");
  // After the brackets of a function's name comes its body.
  place.at = reader.text.slice(0, reader.at).endsWith("()") ? "command" : "arguments";
}

function afterOperator(reader: Reader, place: Place, operator: string): void {
  if (operator === "\n") skipHeredocs(reader);
  if (operator.startsWith(";;") || operator === ";&") {
    Object.assign(place, { at: "pattern", hasEnded: false });
  } else if (place.at === "arguments") {
    if (operator === "|" || operator === "|&") reader.found.pipes = true;
    Object.assign(place, { at: "command", hasEnded: [";", "&", "\n"].includes(operator) });
  }
}

function afterWord(reader: Reader, place: Place, word: string): void {
  if (place.at === "command") {
    beginCommand(reader, place, word);
    return;
  }
  const end = { test: "]]", pattern: "esac", arguments: undefined }[place.at];
  if (word === end) place.at = "arguments";
  else if (place.at === "arguments" && word === "in" && place.cases > 0)
    Object.assign(place, { at: "pattern", cases: place.cases - 1 });
}

function beginCommand({ found }: Reader, place: Place, word: string): void {
  if (word === "do" || (place.hasEnded && !closers.has(word))) found.steps = true;
  if (word === "case") place.cases += 1;
  place.hasEnded = false;
  if (word === "[[") place.at = "test";
  else if (!openers.has(word)) place.at = "arguments";
}

/** A word, with the scripts in it. The result of `x=$(a | b)` is that of the pipe; elsewhere it is ignored. */
function scanWord(reader: Reader): string {
  const start = reader.at;
  const word = () => reader.text.slice(start, reader.at);
  while (reader.at < reader.text.length) {
    if (
      take(reader, /[^\s\\'"`$;&|<>()]+|\\[\s\S]|\$?'(?:[^'\\]|\\[\s\S])*'|'[^']*'|\$\{[^}]*\}/y) !==
      undefined
    )
      continue;
    const next = reader.text[reader.at];
    if (next === '"') scanQuoted(reader, start);
    else if (next === "`" || reader.text.startsWith("$(", reader.at)) scanSubstitution(reader, start);
    else if (next === "$") reader.at += 1;
    else break;
  }
  if (reader.at === start) reader.at += 1;
  return word();
}

function scanQuoted(reader: Reader, start: number): void {
  reader.at += 1;
  while (reader.at < reader.text.length && take(reader, /"/y) === undefined) {
    if (take(reader, /[^\\"`$]+|\\[\s\S]|\$(?!\()/y) === undefined) scanSubstitution(reader, start);
  }
}

function scanSubstitution(reader: Reader, start: number): void {
  const isAssigned = /^\w+\+?=/.test(reader.text.slice(start, reader.at));
  const isTicked = reader.text[reader.at] === "`";
  const inside = { ...reader, at: reader.at + (isTicked ? 1 : 2), found: { steps: false, pipes: false } };
  scanList(inside, isTicked ? "`" : ")");
  reader.at = inside.at;
  if (isAssigned && inside.found.pipes) reader.found.pipes = true;
}

function skipHeredocs(reader: Reader): void {
  for (const end of reader.heredocs.splice(0)) {
    while (reader.at < reader.text.length) {
      const line = take(reader, /.*\n?/y) ?? "";
      if (line.trim() === end) break;
    }
  }
}

/** The text that a sticky pattern matches here. */
function take(reader: Reader, pattern: RegExp): string | undefined {
  pattern.lastIndex = reader.at;
  const text = pattern.exec(reader.text)?.[0];
  if (text === undefined || text === "") return undefined;
  reader.at += text.length;
  return text;
}
