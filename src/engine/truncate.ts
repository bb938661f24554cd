/** The length of a text in UTF-8 bytes. */
export const byteLength = (text: string): number => new TextEncoder().encode(text).length;

/** The head of a text within this many bytes, with a mark that says how much was cut. Splits no character. */
export function truncateBytes(text: string, most: number): string {
  // A text with few UTF-16 units is short in bytes too: most texts need no encoding.
  if (text.length * 3 <= most) return text;
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= most) return text;
  let end = Math.max(0, most - markSize);
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${new TextDecoder().decode(bytes.subarray(0, end))}\n[… ${bytes.length - end} bytes left out …]`;
}

/** Truncates the longest texts until all of them fit into this many bytes together. */
export function truncateToTotal(texts: readonly string[], most: number): readonly string[] {
  const sizes = texts.map(byteLength).sort((a, b) => a - b);
  let left = most;
  for (const [index, size] of sizes.entries()) {
    const share = Math.floor(left / (sizes.length - index));
    if (size > share) return texts.map((text) => truncateBytes(text, share));
    left -= size;
  }
  return texts;
}

const markSize = 48;
