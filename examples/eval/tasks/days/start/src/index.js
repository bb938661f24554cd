/** Whole days from one date to another, both as `2026-03-01`; summer time does not matter. */
export function daysBetween(from, to) {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / 86_400_000);
}

/** The date so many months later; the last day of a month stays one that exists. */
export function addMonths(date, months) {
  const [year, month, day] = date.split("-").map(Number);
  const last = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1 + months, day)).toISOString().slice(0, 10);
}
