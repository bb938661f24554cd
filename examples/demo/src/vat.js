/** The VAT rate of a category, in percent. */
export function vatPercent(category) {
  switch (category) {
    case "book":
    case "food":
      return 7;
    default:
      return 19;
  }
}
