/** What tools print about tests, as patterns. */

/** The number of tests in one summary. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface CountsWithTotal extends Counts {
  readonly total: number;
}

/**
 * A summary at the end of a test runner's output. Groups with the names of counts are numbers, also `failed1` and so on;
 * all of them, and all other matches, are added up.
 */
export interface Summary extends Readonly<Partial<Record<keyof CountsWithTotal, RegExp>>> {
  /** Matches the whole summary; global and multiline. Later rows do not see the matched text. */
  readonly line: RegExp;
  /** What follows the numbers of passed, failed and skipped tests, as in `2 failed`. */
  readonly words?: readonly [passed: string, failed: string, skipped: string];
  /** What precedes them, as in `failures=2`. */
  readonly labels?: Summary["words"];
  /** The tool leaves out counts of 0: if all tests fail, its whole summary counts only failures. */
  readonly omitsZeros?: true;
  /** It has several summaries, each of other tests. */
  readonly areParts?: true;
  /** Corrects numbers that do not count tests. */
  readonly adjust?: (found: CountsWithTotal) => Partial<CountsWithTotal>;
}

/** For runners that count failed assertions, of which a test may have several. */
export const atMostEach: NonNullable<Summary["adjust"]> = ({ total, failed, skipped }) => {
  const most = Math.min(total, failed);
  return { total, failed: most, skipped: Math.min(total - most, skipped) };
};

/** For runners whose total leaves out the skipped tests. */
export const withoutSkipped: NonNullable<Summary["adjust"]> = ({ total, failed, skipped }) => ({
  passed: Math.max(0, total - failed),
  failed: Math.min(total, failed),
  skipped,
});

/** The result of one test. */
export interface NamedTest {
  readonly name: string;
  readonly status: "passed" | "failed" | "skipped";
}

const statuses: Readonly<Record<NamedTest["status"], readonly string[]>> = {
  passed: ["ok", "pass", "passed", "xpass", "✔", "✓", "√"],
  skipped: [
    "ignored",
    "todo",
    "skip",
    "skipped",
    "xfail",
    "expectedfail",
    "expected failure",
    "-",
    "﹣",
    "○",
  ],
  failed: [],
};

/** The status that a word or mark of a runner means; an unknown one is a failure. */
export function statusOf(outcome: string): NamedTest["status"] {
  const word = outcome.toLowerCase();
  if (statuses.passed.includes(word)) return "passed";
  return statuses.skipped.includes(word) ? "skipped" : "failed";
}

/** Names and statuses from a pattern's groups: named groups, or else the name first. */
export const byPattern = (pattern: RegExp) => (text: string) =>
  [...text.matchAll(pattern)].map(({ groups, 1: first = "", 2: second = "" }) => ({
    name: (groups?.["name"] ?? first).trim(),
    status: statusOf(groups?.["status"] ?? second),
  }));

/** A name, such as that of a file, for each of its tests. */
export function repeated(
  name: string,
  { total, failed, skipped }: { readonly total: number; readonly failed: number; readonly skipped: number },
): readonly NamedTest[] {
  const status = (at: number) => (at < failed ? "failed" : at < failed + skipped ? "skipped" : "passed");
  return Array.from({ length: Math.min(total, 10_000) }, (_, at) => ({ name, status: status(at) }));
}

/** Adds up the numbers in all matches, for example of `(\d+) (?:failed|errors?)`. */
export function sum(text: string, pattern: RegExp): number {
  let all = 0;
  for (const [, ...groups] of text.matchAll(pattern))
    all += Number(groups.find((it) => it !== undefined) ?? 0);
  return all;
}

/** Output of the tests themselves, between two lines of the tool. */
export interface Block {
  readonly start: RegExp;
  readonly end: RegExp;
  /** Lines in between that are the tool's own. */
  readonly keep?: RegExp;
}

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

export interface Failing {
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

/** A message in the lines below the name, after what `without` matches, up to a line that matches. */
export const upTo =
  (end: RegExp, most?: number, without = /^(?!)/) =>
  ({ after }: PrintedTest) =>
    linesUntil(after().replace(without, ""), end, most);

/** A message that is the first match below the name. */
export const first =
  (pattern: RegExp, without = /^(?!)/) =>
  ({ after }: PrintedTest) =>
    firstIn(after().replace(without, ""), pattern);
