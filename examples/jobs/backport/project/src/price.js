export function price(cents) {
  return "$" + cents / 100;
}
