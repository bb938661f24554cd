/** Longer words are not typos, and comparing them takes quadratic time. */
const longest = 200;

/**
 * The candidate most similar to a mistyped word, for "did you mean", or one that begins with it; `undefined` if none is
 * close.
 */
export function nearestWord(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length < 3 || word.length > longest) return undefined;
  const wanted = word.toLowerCase();
  let best: string | undefined;
  let longer: string | undefined;
  let least = 4;
  for (const candidate of candidates) {
    const known = candidate.toLowerCase();
    if (known.startsWith(wanted)) longer ??= candidate;
    const most = mostEdits(wanted, known);
    if (Math.abs(known.length - wanted.length) > most) continue;
    const edits = distance(wanted, known);
    if (edits <= most && edits < least) {
      best = candidate;
      least = edits;
    }
  }
  return best ?? longer;
}

/** The first letter is rarely mistyped: words that share it may differ more, as `clod` and `claude` do. */
function mostEdits(word: string, known: string): number {
  const length = word[0] === known[0] ? Math.max(word.length, known.length) / 2 : word.length / 3;
  return Math.max(1, Math.min(3, Math.floor(length)));
}

/** `did you mean X?`, or else the names there are; the end of a sentence about an unknown name. */
export function didYouMean(
  word: string,
  names: readonly string[],
  code = (name: string): string => name,
): string {
  const meant = nearestWord(word, names);
  if (meant !== undefined) return `did you mean ${code(meant)}?`;
  if (names.length === 0) return "it has none";
  const more = names.length > mostListed ? `, and ${names.length - mostListed} more` : "";
  return `it has ${names.slice(0, mostListed).map(code).join(", ")}${more}`;
}

const mostListed = 10;

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
  const more = names.length > mostListed ? `, and ${names.length - mostListed} more` : "";
  return `The ${what} here: ${names.slice(0, mostListed).join(", ")}${more}.`;
}
