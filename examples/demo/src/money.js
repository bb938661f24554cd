/** Cents of an amount such as "12.30" or "7". */
export function parseMoney(text) {
  if (!/^\d+(\.\d{1,2})?$/.test(text)) throw new TypeError(`not an amount: ${text}`);
  return Math.floor(Number(text) * 100);
}

/** An amount for people: 123450 becomes "1,234.50". */
export function formatMoney(cents) {
  const whole = String(Math.trunc(cents / 100)).replace(/\B(?=(\d{3})+$)/g, ",");
  return `${whole}.${String(cents % 100).padStart(2, "0")}`;
}
