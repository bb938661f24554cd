/** The same day some months later, as "2024-05-31"; a month's last day where the day does not exist. */
export function addMonths(day, months) {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCMonth(date.getUTCMonth() + months);
  return date.toISOString().slice(0, 10);
}
