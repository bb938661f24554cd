/** Where a test is named in the output. */
export interface PrintedTest {
  readonly name: string;
  /** The rest of its line. */
  readonly rest: string;
  /** The text before its line, and after it. */
  before(): string;
  after(): string;
  readonly text: string;
}

export interface Format {
  /** Matches whole lines; the first group is the test's name, the second one may be its message. */
  readonly name: RegExp;
  /** Text that the output of this tool contains, if other tools print lines like its names. */
  readonly onlyIf?: RegExp;
  message?(place: PrintedTest): string | undefined;
}

/** How far from a test's name its message is looked for, in characters: bounds the work for hostile output. */
export const nearby = 2_000;

/** The lines up to the first one that matches `end`. */
export function linesUntil(text: string, end: RegExp, most = 6): string {
  const lines = text.split("\n");
  const last = lines.findIndex((line) => end.test(line));
  return lines.slice(0, Math.min(most, last === -1 ? most : last)).join("\n");
}

/** The first match of a pattern's first group. */
export const firstIn = (text: string, pattern: RegExp) => pattern.exec(text)?.[1];
