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
export const withoutColour = (text: string) => text.replace(colour, "").replaceAll("\r\n", "\n");

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with an escape character
const colour = /\u001b\[[0-9;]*m/g;

type Reader = (text: string) => number | undefined;

/** The most specific formats first: those a tool prints only as its total. */
const readers: readonly Reader[] = [
  /* node:test     */ last(/^(?:#|ℹ) fail (\d+)\s*$/gm),
  /* phpunit       */ totals(/^Tests: \d+, Assertions: .*$/gm, /(?:Failures|Errors): (\d+)/g),
  /* vitest, jest  */ totals(/^[^\S\n]*Tests:?\s+\d.*$/gm, /(\d+) failed/),
  /* cargo test    */ total(/^test result: .*?(\d+) failed;/gm),
  /* maven         */ lastSum(/Tests run: \d+, Failures: (\d+), Errors: (\d+)/g),
  /* JUnit XML     */ junit,
  /* pytest        */ totals(
    /^.*\d (?:passed|failed|errors?)\b.* in \d[\d.]*s\b.*$/gm,
    /(\d+) (?:failed|errors?)\b/g,
  ),
  /* mocha         */ last(/^[^\S\n]+(\d+) failing\s*$/gm),
  /* mocha, green  */ none(/^[^\S\n]+\d+ passing \(/m),
  /* rspec, exunit */ last(/^\d+ (?:examples?|tests?), (\d+) failures?\b/gm),
  /* phpunit green */ none(/^OK \(\d+ tests?, /m),
  /* unittest      */ totals(/^FAILED \((?:failures|errors)=.*$/gm, /(?:failures|errors)=(\d+)/g),
  /* unittest green*/ none(/^Ran \d+ tests? in [\s\S]*^OK\b/m),
  /* dotnet        */ total(/^[^\S\n]*(?:Failed|Passed)!\s+- Failed:\s+(\d+),/gm),
  /* gradle        */ last(/^\d+ tests? completed, (\d+) failed/gm),
  /* deno          */ last(/^(?:ok|FAILED) \| \d+ passed.*? \| (\d+) failed/gm),
  /* bun           */ last(/^[^\S\n]*(\d+) fail\s*$/gm),
  /* go test       */ go,
  /* TAP           */ tap,
];

/** The number in the last match. */
function last(pattern: RegExp): Reader {
  return (text) => {
    const lastMatch = [...text.matchAll(pattern)].at(-1)?.[1];
    return lastMatch === undefined ? undefined : Number(lastMatch);
  };
}

/** The sum of the numbers in the last match. */
function lastSum(pattern: RegExp): Reader {
  return (text) => {
    const lastMatch = [...text.matchAll(pattern)].at(-1);
    return lastMatch === undefined ? undefined : added(lastMatch.slice(1));
  };
}

/** The sum of the numbers in all matches: each reports a different part. */
function total(pattern: RegExp): Reader {
  return (text) => {
    const numbers = [...text.matchAll(pattern)].map((match) => match[1] ?? "0");
    return numbers.length === 0 ? undefined : added(numbers);
  };
}

/** The sum of the named numbers in the last matching line; zero if none is named. */
function totals(line: RegExp, named: RegExp): Reader {
  return (text) => {
    const summary = text.match(line)?.at(-1);
    if (summary === undefined) return undefined;
    const all = named.global ? named : new RegExp(named, "g");
    return added([...summary.matchAll(all)].map((match) => match[1] ?? "0"));
  };
}

/** Zero if the text matches. */
function none(pattern: RegExp): Reader {
  return (text) => (pattern.test(text) ? 0 : undefined);
}

const added = (numbers: readonly string[]) => numbers.reduce((all, one) => all + Number(one), 0);

function junit(text: string): number | undefined {
  const tags = text.match(/<testsuites?\s[^>]*>/g)?.filter((tag) => / failures="\d+"/.test(tag)) ?? [];
  const whole = tags.filter((tag) => tag.startsWith("<testsuites"));
  const counted = whole.length > 0 ? whole : tags;
  if (counted.length === 0) return undefined;
  const numbers = counted.flatMap((tag) => [...tag.matchAll(/ (?:failures|errors)="(\d+)"/g)]);
  return added(numbers.map((match) => match[1] ?? "0"));
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
