/** The items of a page; the first page is 1. */
export function pageOf(items, page, size) {
  const first = (page - 1) * size;
  return items.slice(first, first + size);
}

/** The number of pages; 0 without items. */
export function pageCount(items, size) {
  return Math.ceil(items.length / size);
}
