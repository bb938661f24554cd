/** What is wrong with a source, and where in it, as far as that can be said. */
export interface Complaint {
  readonly because: string;
  readonly offset?: number;
}

/** Longer sources are refused, in bytes. */
export const maxLength = 4096;

/** Where a name stands in a source; not where strings hold it. */
export function placeOfName(source: string, name: string): Pick<Complaint, "offset"> {
  const strings = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g;
  const blank = source.replaceAll(strings, (text) => " ".repeat(text.length));
  const offset = blank.search(new RegExp(`(?<![\\w])${name}(?!\\w)`));
  return offset < 0 ? {} : { offset };
}
