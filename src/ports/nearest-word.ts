/** Longer words are not typos, and comparing them takes quadratic time. */
const longest = 200;

/** The candidate most similar to a mistyped word, for "did you mean"; `undefined` if none is close. */
export function nearestWord(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > longest) return undefined;
  const wanted = word.toLowerCase();
  let best: string | undefined;
  const most = wanted.length < 3 ? 0 : Math.max(1, Math.min(3, Math.floor(wanted.length / 3)));
  let least = most + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - wanted.length) >= least) continue;
    const edits = distance(wanted, candidate.toLowerCase());
    if (edits < least) {
      best = candidate;
      least = edits;
    }
  }
  return best;
}

// Insertions, deletions, replacements and swaps of neighbours cost one each.
function distance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const replaced = (last[column - 1] ?? 0) + Number(from[row - 1] !== to[column - 1]);
      const inserted = (current[column - 1] ?? 0) + 1;
      const removed = (last[column] ?? 0) + 1;
      const isSwap = row > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const swapped = isSwap ? (beforeLast[column - 2] ?? 0) + 1 : replaced;
      current.push(Math.min(replaced, inserted, removed, swapped));
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? 0;
}

/** Lists the possible names, if none is similar; `undefined` if there are none. */
export function listNames(what: string, names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const more = names.length > 10 ? `, and ${names.length - 10} more` : "";
  return `The ${what} here: ${names.slice(0, 10).join(", ")}${more}.`;
}
