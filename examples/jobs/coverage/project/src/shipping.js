/** What shipping costs, in cents. */
export function shipping(grams, country) {
  if (grams <= 0) throw new RangeError("nothing to ship");
  if (country === "DE") {
    if (grams <= 1000) return 500;
    return 900;
  }
  if (grams <= 1000) return 1500;
  return 3000;
}
