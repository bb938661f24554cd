import { minSplitSecretLength } from "../ports/redact-secrets.ts";

/** Searches for secrets in the bytes of files, also across lines. */
export function searchFor(secrets: readonly string[]): (body: Buffer) => boolean {
  const whole = anyOf(secrets);
  const broken = anyOf(secrets.filter(({ length }) => length >= minSplitSecretLength));
  return (body) => whole.test(body.toString("latin1")) || broken.test(withoutBreaks(body).toString("latin1"));
}

/** One expression for all of them is many times faster than to look for one after the other. */
function anyOf(secrets: readonly string[]): RegExp {
  if (secrets.length === 0) return /(?!)/;
  const latin = secrets.map((secret) => Buffer.from(secret).toString("latin1"));
  return new RegExp(latin.map((secret) => secret.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("|"));
}

/** Line breaks are removed, also those written as `\n`. */
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
