import { withoutControlSequences } from "./control-sequences.ts";
import { readSummaries } from "./inventory/counts.ts";
import { summaryFormats } from "./inventory/summaries.ts";

/**
 * The number of failing tests at the end of a check's output, for any tool; `undefined` if it is not reported. Errors
 * count as failures. If there are several totals, the last one counts, unless they are parts of a sum.
 */
export function failingCount(output: string): number | undefined {
  const text = withoutColour(output);
  for (const read of readers) {
    const failures = read(text);
    if (failures !== undefined) return failures;
  }
  return undefined;
}

/** A text without terminal colours, and with LF line endings. */
export const withoutColour = (text: string) => withoutControlSequences(text).replaceAll("\r\n", "\n");

type Reader = (text: string) => number | undefined;

/** The most specific formats first: those a tool prints only as its total. */
const readers: readonly Reader[] = [
  ...summaryFormats.map((format) => (text: string) => {
    const { counts, failedAtLast } = readSummaries(text, format);
    return areParts.has(format.runner) ? counts?.failed : counts && failedAtLast;
  }),
  junit,
  go,
  tap,
];

/** Tools whose summaries each count other tests. */
const areParts: ReadonlySet<string> = new Set(["cargo test", "dotnet test", "karma", "prove"]);

function junit(text: string): number | undefined {
  const tags = text.match(/<testsuites?\s[^>]*>/g)?.filter((tag) => / failures="\d+"/.test(tag)) ?? [];
  const whole = tags.filter((tag) => tag.startsWith("<testsuites"));
  const counted = whole.length > 0 ? whole : tags;
  if (counted.length === 0) return undefined;
  const numbers = counted.flatMap((tag) => [...tag.matchAll(/ (?:failures|errors)="(\d+)"/g)]);
  return numbers.reduce((all, [, failures]) => all + Number(failures), 0);
}

function go(text: string): number | undefined {
  const failed = text.match(/^--- FAIL: /gm)?.length;
  if (failed !== undefined) return failed;
  // A package that does not build reports no number.
  return /^ok {2}\t\S+/m.test(text) && !/^FAIL\b/m.test(text) ? 0 : undefined;
}

function tap(text: string): number | undefined {
  const failed = text.match(/^not ok\b(?!.*# (?:todo|skip)\b).*$/gim)?.length;
  if (failed !== undefined) return failed;
  return /^1\.\.\d+\s*$/m.test(text) && /^ok\b/m.test(text) ? 0 : undefined;
}
