import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import { PassThrough, Transform } from "node:stream";
import { shortestSecret } from "../ports/redact-secrets.ts";

/** A local endpoint takes any word as its key, and a model may say that word. */
const isWord = (secret: string) => secret.length < shortestSecret;

/** The secret part of a header's value, without `Bearer`. */
export const secretPart = (value: string): string => value.replace(/^\S+\s+/, "");

/** The headers of an answer, with a secret masked in their values. */
export function redactHeaders(headers: OutgoingHttpHeaders | IncomingHttpHeaders, secret: string) {
  const struck = (text: string) =>
    isWord(secret) ? text : text.replaceAll(secret, "*".repeat(secret.length));
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(struck) : typeof value === "string" ? struck(value) : value,
    ]),
  );
}

/**
 * Masks a secret in a stream with asterisks of the same length, even if it spans chunks. Holds back only a possible
 * beginning of the secret at the end of a chunk, so that events are not delayed.
 */
export function redactBody(secret: string): Transform {
  if (isWord(secret)) return new PassThrough();
  const bytes = Buffer.from(secret);
  const mask = Buffer.alloc(bytes.length, "*");
  let held = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _, done) {
      const text = Buffer.concat([held, chunk]);
      for (let at = text.indexOf(bytes); at >= 0; at = text.indexOf(bytes, at + bytes.length))
        mask.copy(text, at);
      const kept = longestStart(text, bytes);
      held = text.subarray(text.length - kept);
      done(null, text.subarray(0, text.length - kept));
    },
    flush(done) {
      done(null, held);
    },
  });
}

/** How many bytes at the end of a text are the beginning of the secret. */
function longestStart(text: Buffer, secret: Buffer): number {
  for (let length = Math.min(secret.length - 1, text.length); length > 0; length -= 1) {
    if (text.subarray(text.length - length).equals(secret.subarray(0, length))) return length;
  }
  return 0;
}
