/** A replacement in a file. */
export interface Replacement {
  readonly old: string;
  readonly new: string;
  /** Replaces every occurrence instead of the only one. */
  readonly all: boolean;
}

/**
 * The text after a replacement, and the number of replacements; throws a sentence for the model if there is no match,
 * or more than one.
 */
export function replaceText(name: string, before: string, edit: Replacement) {
  if (edit.old === "") throw new Error("the old text is empty; to write a whole file use write");
  if (edit.old === edit.new) throw new Error("the old text and the new one are the same");
  // Models write LF line endings; a file may mix both kinds.
  const isPlain = !before.includes("\r\n");
  const places = isPlain ? edit.old : new RegExp(edit.old.split(/\r?\n/).map(escaped).join("\\r?\\n"), "g");
  const count = before.split(places).length - 1;
  if (count === 0) throw new Error(notThere(name, before, edit.old));
  if (count > 1 && !edit.all)
    throw new Error(`the old text is ${count} times in ${name}: give more of what is around it`);
  const text = before.replaceAll(places, (match) =>
    isPlain ? edit.new : edit.new.replaceAll(/\r?\n/g, endsIn(match) ?? endsIn(before) ?? "\n"),
  );
  return { text, count };
}

const escaped = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

/** The line ending of most lines; `undefined` for a single line. */
function endsIn(text: string): "\n" | "\r\n" | undefined {
  const windows = text.split("\r\n").length - 1;
  const all = text.split("\n").length - 1;
  if (all === 0) return undefined;
  return windows * 2 > all ? "\r\n" : "\n";
}

function notThere(name: string, text: string, old: string): string {
  if (!text.endsWith("\n") && old.endsWith("\n") && text.endsWith(old.slice(0, -1)))
    return `the old text is not in ${name}: the file has no newline at its end`;
  const near = nearestLines(text, old);
  const hint =
    near === undefined
      ? "read the file again"
      : `nearest to it are lines ${near.first} to ${near.last}:\n${near.text}`;
  return `the old text is not in ${name}; ${hint}`;
}

/** Lines of a text, numbered from 1. */
interface Lines {
  readonly first: number;
  readonly last: number;
  readonly text: string;
}

/** The lines of a text most similar to a passage; `undefined` if none are similar. */
function nearestLines(text: string, passage: string): Lines | undefined {
  const lines = text.split(/\r?\n/).slice(0, mostPlaces);
  const wanted = passage.trim().split(/\r?\n/).slice(0, mostLines).map(plain);
  const at = placeOfMost(lines, wanted) ?? placeOfSimilar(lines, wanted);
  if (at === undefined) return undefined;
  const shown = lines.slice(at, at + wanted.length);
  return { first: at + 1, last: at + shown.length, text: shown.join("\n") };
}

/** The position at which most lines are equal. */
function placeOfMost(lines: readonly string[], wanted: readonly string[]): number | undefined {
  let best = { at: -1, score: 0 };
  for (let at = 0; at < lines.length; at += 1) {
    const score = wanted.filter(
      (line, index) => line !== "" && line === plain(lines[at + index] ?? ""),
    ).length;
    if (score > best.score) best = { at, score };
  }
  return best.at < 0 ? undefined : best.at;
}

/** The position of the line most similar to the longest wanted line. */
function placeOfSimilar(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const [longest = ""] = wanted.toSorted((one, other) => other.length - one.length);
  const pairs = pairsIn(longest);
  let best = { at: -1, likeness: leastLikeness };
  for (const [at, line] of lines.entries()) {
    const likeness = likenessOf(pairs, pairsIn(plain(line)));
    if (likeness > best.likeness) best = { at, likeness };
  }
  return best.at < 0 ? undefined : Math.max(0, best.at - wanted.indexOf(longest));
}

/** All pairs of adjacent letters, ignoring whitespace. */
function pairsIn(line: string): ReadonlySet<string> {
  const letters = line.slice(0, mostLetters).replaceAll(" ", "");
  return new Set(
    Array.from({ length: Math.max(0, letters.length - 1) }, (_, at) => letters.slice(at, at + 2)),
  );
}

/** Similarity from 0 to 1: the share of common pairs (Sørensen–Dice coefficient). */
function likenessOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size === 0 || other.size === 0) return 0;
  const both = [...one].filter((pair) => other.has(pair)).length;
  return (2 * both) / (one.size + other.size);
}

/** Whitespace is what models most often get wrong. */
const plain = (line: string) => line.replace(/\s+/g, " ").trim();

const leastLikeness = 0.6;
const mostLines = 40;
const mostPlaces = 50_000;
const mostLetters = 200;
