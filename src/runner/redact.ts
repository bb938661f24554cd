/** Takes secret values out of whatever an answer holds; short ones would hit ordinary words. */
export function redact<T>(value: T, secrets: readonly string[]): T {
  const known = secrets.filter(({ length }) => length >= shortest);
  return known.length === 0 ? value : (clean(value, known) as T);
}

const shortest = 8;

function clean(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === "string")
    return secrets.reduce((text, secret) => text.replaceAll(secret, "***"), value);
  if (Array.isArray(value)) return value.map((item) => clean(item, secrets));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, clean(item, secrets)]));
}
