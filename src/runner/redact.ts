import { redactSecrets, shortestSecret } from "../ports/redact-secrets.ts";
import { redactTokens } from "../ports/redact-tokens.ts";

/**
 * Removes secret values and anything that looks like a token from an answer; short values would match ordinary words.
 */
export function redact<T>(value: T, secrets: readonly string[]): T {
  return clean(
    value,
    secrets.filter(({ length }) => length >= shortestSecret),
  ) as T;
}

function clean(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === "string") return redactTokens(redactSecrets(value, secrets));
  if (Array.isArray(value)) return value.map((item) => clean(item, secrets));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [
    redactSecrets(key, secrets),
    clean(item, secrets),
  ]);
  return Object.fromEntries(entries);
}
