/** Room for the line that says how much is left out. */
const noteLength = 50;

/** The start of a text, at most `most` characters long; says how much is left out. */
export function firstPart(text: string, most: number): string {
  if (text.length <= most) return text;
  const kept = text.slice(0, most - noteLength);
  return `${kept}\n${leftOut(text.length - kept.length)}`;
}

/** The same with the end of a text. */
export function lastPart(text: string, most: number): string {
  if (text.length <= most) return text;
  const kept = text.slice(noteLength - most);
  return `${leftOut(text.length - kept.length)}\n${kept}`;
}

const leftOut = (count: number) => `[… ${count} characters left out …]`;
