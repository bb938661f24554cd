/** Cents of an amount such as "19.99". */
export function cents(text) {
  return Math.trunc(Number(text) * 100);
}

/** Splits cents into equal parts that add up to all of them; the first parts are a cent larger. */
export function split(amount, parts) {
  const least = Math.floor(amount / parts);
  return Array.from({ length: parts }, (_, index) => least + (index < amount % parts ? 1 : 0));
}
