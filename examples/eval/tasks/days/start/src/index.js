/** Counts the days between two dates such as `2026-03-01`, independently of daylight saving time. */
export function daysBetween(from, to) {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / 86_400_000);
}

/** Adds months to a date. If the month is too short for the day, the result is its last day. */
export function addMonths(date, months) {
  const [year, month, day] = date.split("-").map(Number);
  const last = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1 + months, day)).toISOString().slice(0, 10);
}
