/** Merges intervals [from, to) that overlap or touch, and sorts them. */
export function join(intervals) {
  const joined = [];
  for (const [from, to] of intervals.toSorted((a, b) => a[0] - b[0])) {
    const last = joined.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = to;
    else joined.push([from, to]);
  }
  return joined;
}
