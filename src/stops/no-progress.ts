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

// FNV-1a with 64 bits: fast, and not security-relevant.
function hash(text: string): string {
  let value = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) {
    value = BigInt.asUintN(64, (value ^ BigInt(byte)) * 0x100000001b3n);
  }
  return value.toString(16).padStart(16, "0");
}
