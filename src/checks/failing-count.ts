import { withoutColour } from "./colours.ts";
import { outputsIn, scriptsIn } from "./inventory/prefixes.ts";
import { readSummaries, runners } from "./inventory/summaries.ts";

/**
 * The number of failing tests at the end of a check's output, for any tool; `undefined` if it is not reported. Errors
 * count as failures. Of each program that a monorepo's tool runs, if there are several totals, the last one counts,
 * unless they are parts of a sum.
 */
export function failingCount(output: string): number | undefined {
  const counts = outputsIn(withoutColour(output))
    .flatMap(scriptsIn)
    .flatMap((text) => countIn(text) ?? []);
  return counts.length === 0 ? undefined : counts.reduce((one, other) => one + other);
}

function countIn(text: string): number | undefined {
  for (const read of readers) {
    const failures = read(text);
    if (failures !== undefined) return failures;
  }
  return undefined;
}

type Reader = (text: string) => number | undefined;

/** Those first that a tool prints only as its total. */
const readers: readonly Reader[] = [
  ...runners.map(({ summary }) => (text: string) => {
    const { all } = readSummaries(text, summary);
    const failed = all.map((counts) => counts.failed);
    return summary.areParts && all.length > 0 ? failed.reduce((one, other) => one + other) : failed.at(-1);
  }),
  junit,
  go,
  tap,
];

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
