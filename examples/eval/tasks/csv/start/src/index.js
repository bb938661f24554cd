/** Parses a line of CSV. A quoted field may contain commas; two quotes in it mean one. */
export function parseLine(line) {
  const fields = [];
  let field = "";
  let quoted = false;
  for (let at = 0; at < line.length; at += 1) {
    const char = line[at];
    if (char === '"' && line[at + 1] === '"') {
      field += '"';
      at += 1;
    } else if (char === '"') quoted = !quoted;
    else if (char === "," && !quoted) {
      fields.push(field);
      field = "";
    } else field += char;
  }
  return [...fields, field];
}
