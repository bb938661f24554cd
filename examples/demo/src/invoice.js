import { discountPercent } from "./discount.js";
import { parseMoney } from "./money.js";
import { vatPercent } from "./vat.js";

/** What an invoice comes to, in cents: net after discounts, VAT, and both together. */
export function total(lines) {
  const amounts = lines.map(amount);
  const net = sum(amounts.map((line) => line.net));
  const vat = sum(amounts.map((line) => line.vat));
  return { net, vat, gross: net + vat };
}

function amount({ price, pieces, category }) {
  const full = parseMoney(price) * pieces;
  const net = full - Math.round((full * discountPercent(pieces)) / 100);
  return { net, vat: Math.round((net * vatPercent(category)) / 100) };
}

const sum = (numbers) => numbers.reduce((all, number) => all + number, 0);
