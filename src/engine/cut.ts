/** How many bytes a text takes in UTF-8. */
export const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/** The head of a text that fits into so many bytes, with a mark that says how much is gone; no character is split. */
export function cutTo(text: string, most: number): string {
  // A text of few units is short in bytes too: spares encoding most texts.
  if (text.length * 3 <= most) return text;
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= most) return text;
  let end = Math.max(0, most - markSize);
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${new TextDecoder().decode(bytes.subarray(0, end))}\n[… ${bytes.length - end} bytes left out …]`;
}

/** Cuts the longest of some texts until all of them fit together into so many bytes. */
export function cutAll(texts: readonly string[], most: number): readonly string[] {
  const sizes = texts.map(bytesOf).sort((a, b) => a - b);
  let left = most;
  for (const [index, size] of sizes.entries()) {
    const share = Math.floor(left / (sizes.length - index));
    if (size > share) return texts.map((text) => cutTo(text, share));
    left -= size;
  }
  return texts;
}

const markSize = 48;
