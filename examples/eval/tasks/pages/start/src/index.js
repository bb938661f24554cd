/** The items of a page, from 1. */
export function pageOf(items, page, size) {
  const first = (page - 1) * size;
  return items.slice(first, first + size);
}

/** How many pages there are; none for no items. */
export function pageCount(items, size) {
  return Math.floor(items.length / size) + 1;
}
