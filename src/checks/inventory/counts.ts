/** The number of tests in one summary. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** A summary at the end of a test runner's output. */
export interface SummaryFormat {
  readonly runner: string;
  /** Matches the whole summary; global and multiline. Later formats do not see the matched text. */
  readonly summary: RegExp;
  /** The words after each number, as in `2 failed`, or a pattern whose groups are the number; all matches count. */
  readonly counts: Readonly<Partial<Record<keyof CountsWithTotal, string | RegExp>>>;
  /** The tool leaves out counts of 0: if all tests fail, its whole summary counts only failures. */
  readonly omitsZeros?: true;
  /** Corrects numbers that do not count tests. */
  readonly adjust?: (found: CountsWithTotal) => Partial<CountsWithTotal>;
}

interface CountsWithTotal extends Counts {
  readonly total: number;
}

/** For runners that count failed assertions, of which a test may have several. */
export const atMostEach: NonNullable<SummaryFormat["adjust"]> = ({ total, failed, skipped }) => {
  const most = Math.min(total, failed);
  return { total, failed: most, skipped: Math.min(total - most, skipped) };
};

/** For runners whose total leaves out the skipped tests. */
export const withoutSkipped: NonNullable<SummaryFormat["adjust"]> = ({ total, failed, skipped }) => ({
  passed: Math.max(0, total - failed),
  failed: Math.min(total, failed),
  skipped,
});

const none: Counts = { passed: 0, failed: 0, skipped: 0 };

/** Adds up the numbers in all matches, for example of `(\d+) (?:failed|errors?)`. */
export function sum(text: string, pattern: RegExp): number {
  let all = 0;
  for (const [, ...groups] of text.matchAll(pattern))
    all += Number(groups.find((it) => it !== undefined) ?? 0);
  return all;
}

/** The numbers after labels, as in `failures=2`. */
export const label = (labels: string) => new RegExp(`\\b(?:${labels})[:=]\\s*(\\d+)`, "gi");

export const add = (one: Counts, other: Counts): Counts => ({
  passed: one.passed + other.passed,
  failed: one.failed + other.failed,
  skipped: one.skipped + other.skipped,
});

interface ReadSummaries {
  readonly counts: Counts | undefined;
  readonly failedAtLast: number;
  /** True if all of them count only failures: nobody knows how many tests ran. */
  readonly onlyFailures: boolean;
  readonly rest: string;
}

/** The total counts of all summaries in one format, the failures of the last one, and the text without them. */
export function readSummaries(text: string, format: SummaryFormat): ReadSummaries {
  let counts: Counts | undefined;
  let failedAtLast = 0;
  let onlyFailures = true;
  const rest = text.replace(format.summary, (match: string) => {
    const each = completed(read(match, format));
    counts = add(counts ?? none, each);
    failedAtLast = each.failed;
    onlyFailures &&= countsOnlyFailures(match, format);
    return "";
  });
  return { counts, failedAtLast, onlyFailures, rest };
}

function countsOnlyFailures(summary: string, { counts: { total, passed, failed } }: SummaryFormat): boolean {
  const has = (count: string | RegExp | undefined) =>
    count !== undefined && summary.search(patternOf(count)) >= 0;
  return has(failed) && !has(passed) && !has(total);
}

const patternOf = (count: string | RegExp) =>
  typeof count === "string" ? new RegExp(`(\\d+) (?:${count})\\b`, "g") : count;

function read(summary: string, { counts, adjust }: SummaryFormat): Partial<CountsWithTotal> {
  const found = Object.fromEntries(
    Object.entries(counts).map(([key, count]) => [key, sum(summary, patternOf(count))]),
  );
  return adjust === undefined ? found : adjust({ total: 0, ...none, ...found });
}

/** If a tool reports only a total, computes the number of passed tests. */
function completed({ total, passed, failed = 0, skipped = 0 }: Partial<CountsWithTotal>): Counts {
  return { passed: passed ?? Math.max(0, (total ?? failed + skipped) - failed - skipped), failed, skipped };
}
