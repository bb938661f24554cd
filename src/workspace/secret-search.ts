import { minSplitSecretLength } from "../ports/redact-secrets.ts";

/** Returns a search for secrets in a file's bytes, even across line breaks. */
export function searchFor(secrets: readonly string[]): (body: Buffer) => boolean {
  const whole = anyOf(secrets);
  const broken = anyOf(secrets.filter(({ length }) => length >= minSplitSecretLength));
  return (body) => whole.test(body.toString("latin1")) || broken.test(withoutBreaks(body).toString("latin1"));
}

/** A single expression for all secrets is many times faster than one search for each. */
function anyOf(secrets: readonly string[]): RegExp {
  if (secrets.length === 0) return /(?!)/;
  const latin = secrets.map((secret) => Buffer.from(secret).toString("latin1"));
  return new RegExp(latin.map((secret) => secret.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("|"));
}

/** Removes line breaks, including those written as `\n`. */
function withoutBreaks(body: Buffer): Buffer {
  const joined = Buffer.allocUnsafe(body.length);
  let length = 0;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at] ?? 0;
    if (byte === newline || byte === carriageReturn) continue;
    if (byte === backslash && (body[at + 1] === letterN || body[at + 1] === letterR)) at++;
    else joined[length++] = byte;
  }
  return joined.subarray(0, length);
}

const [newline, carriageReturn, backslash, letterN, letterR] = [10, 13, 92, 110, 114];
