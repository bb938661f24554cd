/**
 * Finds the quoted parts of a Markdown text: fenced blocks, block quotes, comments, diffs, lines printed by a search,
 * inline code that shares its line with other words, and a model's thoughts before its answer. One pass over the
 * text.
 */
export function quotations(raw: string): (offset: number) => boolean {
  const answer = thoughtEnd(raw);
  const ranges = blocks(raw);
  const changed = hunks(raw);
  return (offset) =>
    offset < answer || isWithin(ranges, offset) || isWithin(changed, offset) || isInQuoteOrCode(raw, offset);
}

/** The end of a model's thoughts: servers put thoughts at the very start, some without the opening tag. */
function thoughtEnd(raw: string): number {
  const end = raw.search(/<\/think(?:ing)?>/i);
  if (end < 0) return /^\s*<think(?:ing)?>/i.test(raw) ? raw.length : 0;
  const line = raw.slice(raw.lastIndexOf("\n", end) + 1, end);
  return /^\s*<think(?:ing)?>/i.test(raw) || line.trim() === "" ? end : 0;
}

/** From its first character to the one after its last. */
type Range = readonly [start: number, end: number];

const mark = /^[^\S\n]*(?:(?:[-*+]|\d{1,9}[.)])[^\S\n]+)?(`{3,}|~{3,})([^\n]*)|<!--/gm;

/** The changed lines of unfenced diffs. */
const hunks = (raw: string): readonly Range[] =>
  raw.includes("@@ -")
    ? Array.from(raw.matchAll(hunk), ({ 0: { length }, index }): Range => [index, index + length])
    : [];

const hunk = /^@@ -\d[^\n]*(?:\n[+ -][^\n]*)*/gm;

interface Fence {
  readonly mark: string;
  readonly start: number;
}

/** Fenced blocks and comments, in order. */
function blocks(raw: string): readonly Range[] {
  const ranges: Range[] = [];
  if (!["```", "~~~", "<!--"].some((sign) => raw.includes(sign))) return ranges;
  const lastClose = raw.lastIndexOf("-->");
  let fence: Fence | undefined;
  mark.lastIndex = 0;
  for (let match = mark.exec(raw); match !== null; match = mark.exec(raw)) {
    const isComment = match[1] === undefined;
    if (isComment && fence === undefined) {
      const end = commentEnd(raw, match.index, lastClose);
      if (end === undefined) continue;
      ranges.push([match.index, end]);
      mark.lastIndex = end;
    } else if (!isComment && fence === undefined) fence = openedBy(match);
    else if (!isComment && fence !== undefined && isClosedBy(match, fence)) {
      ranges.push([fence.start, match.index + match[0].length]);
      fence = undefined;
    }
  }
  if (fence !== undefined) ranges.push([fence.start, raw.length]);
  return ranges;
}

// Backticks followed by more backticks on the line are inline code.
function openedBy({ 1: ticks = "", 2: info = "", index }: RegExpExecArray): Fence | undefined {
  return ticks.startsWith("~") || !info.includes("`") ? { mark: ticks, start: index } : undefined;
}

function isClosedBy({ 1: ticks = "", 2: info = "" }: RegExpExecArray, fence: Fence): boolean {
  return ticks.startsWith(fence.mark) && info.trim() === "";
}

// An unclosed comment hides the rest only if it starts its line.
function commentEnd(raw: string, start: number, lastClose: number): number | undefined {
  if (lastClose >= start + 4) return raw.indexOf("-->", start + 4) + 3;
  const line = raw.slice(raw.lastIndexOf("\n", start - 1) + 1, start);
  return line.trim() === "" ? raw.length : undefined;
}

function isWithin(ranges: readonly Range[], offset: number): boolean {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle]?.[1] ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return (ranges[low]?.[0] ?? Number.POSITIVE_INFINITY) <= offset;
}

const quoteMark = /^[^\S\n]*(?:(?:[-*+]|\d{1,9}[.)])[^\S\n]+)*>/;

/** A line of a file as grep and similar tools print it. */
const foundLine = /^[\w./-]+\.\w+:\d+:/;

function isInQuoteOrCode(raw: string, offset: number): boolean {
  const start = offset === 0 ? 0 : raw.lastIndexOf("\n", offset - 1) + 1;
  const before = raw.slice(start, offset);
  if (quoteMark.test(before) || foundLine.test(before)) return true;
  if (!before.includes("`") || /^[\s\p{P}~`]*$/u.test(before)) return false;
  const newline = raw.indexOf("\n", offset);
  return isInCode(raw.slice(start, newline < 0 ? raw.length : newline), offset - start);
}

// A run of backticks opens code if a run of the same length follows.
function isInCode(line: string, offset: number): boolean {
  const runs = Array.from(line.matchAll(/`+/g), ({ 0: { length }, index }) => ({ length, index }));
  const last = new Map(runs.map(({ length, index }) => [length, index]));
  let open: { readonly length: number; readonly index: number } | undefined;
  for (const run of runs) {
    if (open === undefined) {
      if (run.index > offset) return false;
      if ((last.get(run.length) ?? 0) > run.index) open = run;
    } else if (run.length === open.length) {
      if (offset < run.index) return true;
      open = undefined;
    }
  }
  return false;
}
