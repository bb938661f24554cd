/** The first word of a text and what follows it, on the same line or the next. */
export function splitWord(text: string): readonly [string, string] {
  const end = text.search(/\s/);
  return end < 0 ? [text, ""] : [text.slice(0, end), text.slice(end).trim()];
}
