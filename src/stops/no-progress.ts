/**
 * A fingerprint of a check's failure. Failures that differ only in times, numbers, ids and temporary paths have the
 * same one, so that a loop can tell whether it makes progress.
 */
export function fingerprint(tail: string): string {
  let text = tail.toWellFormed();
  for (const [pattern, replacement] of noise) text = text.replaceAll(pattern, replacement);
  return hash(text.trim());
}

const colours = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*[A-Za-z]`, "g");

// In this order: longer and more specific patterns first.
const noise: readonly (readonly [RegExp, string])[] = [
  [colours, ""],
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?/g, "<time>"],
  [/\b\d\d?:\d\d(?::\d\d(?:[.,]\d+)?)?\b/g, "<time>"],
  [/(?:\/private)?(?:\/var\/folders|\/var\/tmp|\/tmp)\/[^\s:'")\]]*/g, "<temp>"],
  [/\b[A-Za-z]:\\(?:[^\s\\:]+\\)*Temp\\[^\s:'")\]]*/g, "<temp>"],
  [/\b[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}\b/gi, "#"],
  [/\b0x[\da-f]+\b/gi, "#"],
  [/\b(?=[a-f]*\d)[\da-f]{7,64}\b/gi, "#"],
  [/\b\d+(?:[.,]\d+)?\s?(?:ns|[µu]s|ms|s|secs?|seconds?|m|mins?|minutes?|h|hours?)\b/g, "<duration>"],
  [/(?:<duration>\s*)+/g, "<duration>"],
  [/\d+/g, "#"],
  [/[ \t]+/g, " "],
  [/\s*\n\s*/g, "\n"],
];

/**
 * FNV-1a with 64 bits: fast, and not security-relevant. Multiplies two halves of 32 bits by the prime, 2^40 + 435, in
 * steps that fit into 32 bits: four times as fast as a `bigint`.
 */
function hash(text: string): string {
  let high = 0xcbf29ce4 | 0;
  let low = 0x84222325 | 0;
  for (const byte of new TextEncoder().encode(text)) {
    low ^= byte;
    const lower = (low & 0xffff) * 435;
    const upper = (low >>> 16) * 435 + (lower >>> 16);
    high = (Math.imul(high, 435) + (upper >>> 16) + (low << 8)) | 0;
    low = (upper << 16) | (lower & 0xffff);
  }
  return [high, low].map((half) => (half >>> 0).toString(16).padStart(8, "0")).join("");
}
