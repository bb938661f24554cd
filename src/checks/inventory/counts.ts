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
  readonly read: (summary: string) => Partial<Counts> & { readonly total?: number };
}

const none: Counts = { passed: 0, failed: 0, skipped: 0 };

/** Adds up the first group of all matches, for example of `(\d+) (?:failed|errors?)`. */
export function sum(text: string, pattern: RegExp): number {
  let all = 0;
  for (const match of text.matchAll(pattern)) all += Number(match[1] ?? 0);
  return all;
}

/** The sum of the numbers before some words, as in `2 failed`. */
export const failures = (noun: string) => (text: string) =>
  sum(text, new RegExp(`(\\d+) (?:${noun})\\b`, "g"));

/** The sum of the numbers after a label, as in `failures=2`. */
export const labelled = (text: string, label: string) =>
  sum(text, new RegExp(`\\b${label}[:=]\\s*(\\d+)`, "gi"));

export const add = (one: Counts, other: Counts): Counts => ({
  passed: one.passed + other.passed,
  failed: one.failed + other.failed,
  skipped: one.skipped + other.skipped,
});

/** The total counts of all summaries in one format, the failures of the last one, and the text without them. */
export function readSummaries(
  text: string,
  { summary, read }: SummaryFormat,
): { readonly counts: Counts | undefined; readonly failedAtLast: number; readonly rest: string } {
  let counts: Counts | undefined;
  let failedAtLast = 0;
  const rest = text.replace(summary, (match: string) => {
    const each = completed(read(match));
    counts = add(counts ?? none, each);
    failedAtLast = each.failed;
    return "";
  });
  return { counts, failedAtLast, rest };
}

/** If a tool reports only a total, computes the number of passed tests. */
function completed({ total, passed, failed = 0, skipped = 0 }: ReturnType<SummaryFormat["read"]>): Counts {
  return { passed: passed ?? Math.max(0, (total ?? failed + skipped) - failed - skipped), failed, skipped };
}
