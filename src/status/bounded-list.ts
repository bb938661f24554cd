/** The head and tail of a list of any length, and how many entries between them were dropped. */
export interface BoundedList<T> {
  readonly first: readonly T[];
  readonly left: number;
  readonly last: readonly T[];
}

/** How many entries are kept at the start; enough to show how the run began. */
export const keptFirst = 20;
export const keptLast = 80;

export const emptyBoundedList: BoundedList<never> = { first: [], left: 0, last: [] };

/** Appends an item; drops the oldest one outside the head. */
export function appendBounded<T>(kept: BoundedList<T>, item: T): BoundedList<T> {
  if (kept.first.length < keptFirst) return { ...kept, first: [...kept.first, item] };
  if (kept.last.length < keptLast) return { ...kept, last: [...kept.last, item] };
  return { ...kept, left: kept.left + 1, last: [...kept.last.slice(1), item] };
}

/** Changes the matching items; dropped ones are not changed. */
export function mapMatching<T>(
  kept: BoundedList<T>,
  isMeant: (item: T) => boolean,
  to: (item: T) => T,
): BoundedList<T> {
  const each = (items: readonly T[]) =>
    items.some(isMeant) ? items.map((item) => (isMeant(item) ? to(item) : item)) : items;
  return { ...kept, first: each(kept.first), last: each(kept.last) };
}

/** All kept items, in order. */
export const toArray = <T>(kept: BoundedList<T>): readonly T[] => [...kept.first, ...kept.last];

/** The list with at most this many items; later ones are kept. */
export function shrink<T>(kept: BoundedList<T>, most: number): BoundedList<T> {
  const items = kept.first.length + kept.last.length;
  if (items <= most) return kept;
  const first = Math.floor(most / 4);
  const all = toArray(kept);
  return {
    first: all.slice(0, first),
    left: kept.left + items - most,
    last: all.slice(items - (most - first)),
  };
}
