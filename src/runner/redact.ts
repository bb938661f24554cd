import { shortestSecret, strike } from "../ports/secret.ts";

/** Takes secret values out of whatever an answer holds; short ones would hit ordinary words. */
export function redact<T>(value: T, secrets: readonly string[]): T {
  const known = secrets.filter(({ length }) => length >= shortestSecret);
  return known.length === 0 ? value : (clean(value, known) as T);
}

function clean(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === "string") return strike(value, secrets);
  if (Array.isArray(value)) return value.map((item) => clean(item, secrets));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [strike(key, secrets), clean(item, secrets)]);
  return Object.fromEntries(entries);
}
