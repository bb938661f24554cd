/**
 * What a terminal shows in the end: carriage returns, backspaces and cursor movements are applied, colours and titles
 * removed. So a thousand frames of a progress bar are one line. Passes text on once no cursor movement can reach it,
 * and the rest at the end.
 */
export interface TerminalText {
  push(text: string): void;
  /** Passes on what is left. */
  end(): void;
}

export function terminalText(onText: (text: string) => void): TerminalText {
  let screen = emptyScreen();
  /** The start of a sequence that is not complete yet. */
  let unfinished = "";
  const passOn = (end: number) => {
    if (end <= 0) return;
    onText(
      screen.lines
        .splice(0, end)
        .map((line) => `${line}\n`)
        .join(""),
    );
    screen.row -= end;
  };
  const end = () => {
    onText(screen.lines.join("\n"));
    screen = emptyScreen();
  };
  const pushPlain = (text: string) => {
    const start = startOfLastLines(text);
    if (start > 0) {
      end();
      onText(text.slice(0, start));
    }
    const [first = "", ...others] = text.slice(start).split("\n");
    screen.lines[screen.row] += first;
    screen.lines.push(...others);
    screen.row += others.length;
    screen.column = (screen.lines[screen.row] ?? "").length;
  };
  return {
    push(text) {
      const all = unfinished + text;
      unfinished = begun.exec(all)?.[0] ?? "";
      const complete = all.slice(0, all.length - unfinished.length);
      if (isAtEnd(screen) && !controls.test(complete)) pushPlain(complete);
      else for (const [piece] of complete.matchAll(pieces)) apply(piece, screen);
      passOn(screen.row - reach);
      if ((screen.lines[screen.row] ?? "").length > longest) end();
    },
    end,
  };
}

/** The same for a whole text. */
export function shownByTerminal(text: string): string {
  if (!controls.test(text)) return text;
  let shown = "";
  const terminal = terminalText((piece) => {
    shown += piece;
  });
  terminal.push(text);
  terminal.end();
  return shown;
}

/** The last lines, and the cursor in them. */
interface Screen {
  lines: string[];
  row: number;
  column: number;
}

const emptyScreen = (): Screen => ({ lines: [""], row: 0, column: 0 });

const isAtEnd = ({ lines, row, column }: Screen) =>
  row === lines.length - 1 && column === (lines[row] ?? "").length;

/** How many lines back a program may move the cursor: more than a terminal has. */
const reach = 100;
/** Characters of a line that are kept until it ends. */
const longest = 64 * 1024;
const widest = 1000;

function startOfLastLines(text: string): number {
  let start = text.length + 1;
  for (let line = 0; line <= reach && start > 0; line += 1)
    start = start < 2 ? 0 : text.lastIndexOf("\n", start - 2) + 1;
  return start;
}

function apply(piece: string, screen: Screen): void {
  const by = Number.parseInt(piece.slice(2), 10) || 0;
  if (piece === "\n") lineFeed(screen);
  else if (piece === "\r") screen.column = 0;
  else if (piece === "\b") screen.column = Math.max(0, screen.column - 1);
  else if (!piece.startsWith("\u001b")) write(piece, screen);
  else if (piece.startsWith("\u001b[")) movements[piece.at(-1) ?? ""]?.(screen, by, Math.max(1, by));
}

function lineFeed(screen: Screen): void {
  screen.row += 1;
  screen.column = 0;
  if (screen.row === screen.lines.length) screen.lines.push("");
}

function write(text: string, screen: Screen): void {
  const line = screen.lines[screen.row] ?? "";
  const end = screen.column + text.length;
  screen.lines[screen.row] = line.slice(0, screen.column).padEnd(screen.column) + text + line.slice(end);
  screen.column = end;
}

type Movement = (screen: Screen, by: number, byAtLeastOne: number) => void;

const up: Movement = (screen, _, by) => {
  screen.row = Math.max(0, screen.row - by);
};
const down: Movement = (screen, _, by) => {
  screen.row = Math.min(screen.lines.length - 1, screen.row + by);
};
const toColumn: Movement = (screen, _, by) => {
  screen.column = Math.min(by, widest) - 1;
};
const eraseLine: Movement = (screen, which) => {
  const { lines, row, column } = screen;
  const line = lines[row] ?? "";
  lines[row] = [line.slice(0, column), " ".repeat(column) + line.slice(column), ""][which] ?? line;
};

/**
 * By the last character of their sequences. What clears the whole screen, or moves to its top, is left out: the output
 * before stays, as if it had scrolled away.
 */
const movements: Readonly<Record<string, Movement>> = {
  A: up,
  B: down,
  C: (screen, _, by) => toColumn(screen, 0, screen.column + by + 1),
  D: (screen, _, by) => toColumn(screen, 0, Math.max(1, screen.column - by + 1)),
  E(screen, _, by) {
    down(screen, 0, by);
    screen.column = 0;
  },
  F(screen, _, by) {
    up(screen, 0, by);
    screen.column = 0;
  },
  G: toColumn,
  J(screen, which) {
    if (which !== 0) return;
    eraseLine(screen, 0, 0);
    screen.lines.splice(screen.row + 1);
  },
  K: eraseLine,
};

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: these are the sequences of terminals
const controls = /[\r\b\u001b]/;
/** Sequences with parameters, titles and links, other sequences, single characters, and text between them. */
const pieces =
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[ -/]*[0-Z\\^-~]|[\n\r\b\u001b]|[^\u001b\n\r\b]+/g;
const begun = /\u001b(?:[ -/]{0,8}|\[[0-?]{0,64}[ -/]{0,8}|\][^\u0007\u001b]{0,2000}\u001b?)$/;
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: these are the sequences of terminals
