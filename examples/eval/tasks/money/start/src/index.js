/** Converts an amount such as "19.99" to cents. */
export function cents(text) {
  return Math.trunc(Number(text) * 100);
}

/** Splits an amount into equal parts that add up to it; the first parts are one cent larger if needed. */
export function split(amount, parts) {
  const least = Math.floor(amount / parts);
  return Array.from({ length: parts }, (_, index) => least + (index < amount % parts ? 1 : 0));
}
