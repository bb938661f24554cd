/** Rows as CSV text, each cell quoted only where it must be. */
export function toCsv(rows) {
  return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

function cell(value) {
  const text = String(value);
  return text.includes(",") ? `"${text}"` : text;
}
