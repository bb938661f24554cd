/** Lines of a text, numbered from 1. */
export interface Lines {
  readonly first: number;
  readonly last: number;
  readonly text: string;
}

/** The lines of a text most similar to a passage; `undefined` if none are similar. */
export function nearestLines(text: string, passage: string): Lines | undefined {
  const lines = text.split(/\r?\n/);
  const wanted = passage.trim().split(/\r?\n/).slice(0, mostLines).map(plain);
  let best = { at: -1, score: 0 };
  for (let at = 0; at < Math.min(lines.length, mostPlaces); at += 1) {
    const score = wanted.filter(
      (line, index) => line !== "" && line === plain(lines[at + index] ?? ""),
    ).length;
    if (score > best.score) best = { at, score };
  }
  if (best.at < 0) return undefined;
  const shown = lines.slice(best.at, best.at + wanted.length);
  return { first: best.at + 1, last: best.at + shown.length, text: shown.join("\n") };
}

/** Blanks are what models get wrong most. */
const plain = (line: string) => line.replace(/\s+/g, " ").trim();

const mostLines = 40;
const mostPlaces = 50_000;
