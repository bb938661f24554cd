/** The start and the end of a list that may be long, and how many between them were let go. */
export interface Kept<T> {
  readonly first: readonly T[];
  readonly left: number;
  readonly last: readonly T[];
}

/** How many are kept at each end: enough to see how it began and how it stands. */
export const keptFirst = 20;
export const keptLast = 80;

export const keptNone: Kept<never> = { first: [], left: 0, last: [] };

/** Appends, and lets go of the oldest that is not among the first. */
export function keep<T>(kept: Kept<T>, item: T): Kept<T> {
  if (kept.first.length < keptFirst) return { ...kept, first: [...kept.first, item] };
  if (kept.last.length < keptLast) return { ...kept, last: [...kept.last, item] };
  return { ...kept, left: kept.left + 1, last: [...kept.last.slice(1), item] };
}

/** Changes the items that are meant; one that was let go stays so. */
export function change<T>(kept: Kept<T>, isMeant: (item: T) => boolean, to: (item: T) => T): Kept<T> {
  const each = (items: readonly T[]) =>
    items.some(isMeant) ? items.map((item) => (isMeant(item) ? to(item) : item)) : items;
  return { ...kept, first: each(kept.first), last: each(kept.last) };
}

/** All that is kept, in order. */
export const listed = <T>(kept: Kept<T>): readonly T[] => [...kept.first, ...kept.last];

/** The same with at most so many items, the later ones rather than the earlier. */
export function narrowed<T>(kept: Kept<T>, most: number): Kept<T> {
  const items = kept.first.length + kept.last.length;
  if (items <= most) return kept;
  const first = Math.floor(most / 4);
  const all = listed(kept);
  return {
    first: all.slice(0, first),
    left: kept.left + items - most,
    last: all.slice(items - (most - first)),
  };
}
