const currencies = { USD: "$", EUR: "€" };

export function price(cents, currency = "USD") {
  return currencies[currency] + cents / 100;
}
