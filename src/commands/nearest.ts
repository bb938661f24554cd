/** The word most like one that was mistyped; `undefined` when none is close. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > 80) return undefined;
  const most = Math.max(1, Math.floor(word.length / 3));
  const ranked = known
    .map((other) => ({ other, far: distance(word, other) }))
    .filter(({ far }) => far <= most)
    .sort((a, b) => a.far - b.far);
  return ranked[0]?.other;
}

/** How many letters to add, leave out or change. */
function distance(from: string, to: string): number {
  let row = [...Array(to.length + 1).keys()];
  for (const [at, letter] of [...from].entries()) {
    const next = [at + 1];
    for (let column = 0; column < to.length; column++) {
      const change = (row[column] ?? 0) + Number(letter !== to[column]);
      next.push(Math.min(change, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
