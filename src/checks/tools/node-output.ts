/** How test runners for Node name tests, and say why they failed. */
import { firstIn, linesUntil, type NamedTest, type PrintedTest, repeated, statusOf, sum } from "./printed.ts";

/** A suite opens with `▶`, and closes with a line that looks like a test. */
export function nodeNames(text: string): readonly NamedTest[] {
  const [report = ""] = text.split(/^✖ failing tests:$/m);
  if (/^TAP version/m.test(report)) return tapNames(report);
  const suites = new Set<string>();
  const tests: NamedTest[] = [];
  for (const [, indent = "", mark = "", rest = ""] of report.matchAll(/^( *)([▶✔✖﹣⚠]) (.+)$/gm)) {
    const name = rest.replace(/ \([\d.]+ms\)(?: # .*)?$/, "").replace(/ # (?:SKIP|TODO)\b.*$/, "");
    const place = `${indent}${name}`;
    if (mark === "▶") suites.add(place);
    else if (!suites.delete(place)) tests.push({ name, status: mark === "⚠" ? "passed" : statusOf(mark) });
  }
  return tests;
}

/** In the TAP output of node:test, a suite is recognized by the block below its line. */
function tapNames(report: string): readonly NamedTest[] {
  const lines =
    /^ *(not ok|ok) \d+ - (.+?)( # SKIP\b.*| # TODO\b.*)?\n *---\n([\s\S]{0,20000}?)\n *\.\.\.$/gm;
  return [...report.matchAll(lines)].flatMap(
    ([, outcome = "", name = "", directive = "", block = ""]): readonly NamedTest[] => {
      if (/^ *type: 'suite'$/m.test(block)) return [];
      if (directive.startsWith(" # SKIP")) return [{ name, status: "skipped" }];
      return [{ name, status: outcome === "ok" || directive !== "" ? "passed" : "failed" }];
    },
  );
}

/** Vitest lists the tests of failed files only; otherwise the file's name is repeated for each of its tests. */
export function vitestNames(text: string): readonly NamedTest[] {
  const lines =
    /^[^\S\n]*[✓✔❯×↓][^\S\n]+(?:\|?[\w-]+\|?[^\S\n]+)?(\S+)[^\S\n]+\((\d+) tests?(?: \| ([^)]*))?\)/gm;
  return [...text.matchAll(lines)].flatMap(([, file = "", tests = "0", rest = ""]) => {
    const failed = Number(/(\d+) failed/.exec(rest)?.[1] ?? 0);
    const skipped = Number(/(\d+) skipped/.exec(rest)?.[1] ?? 0);
    return repeated(file, { total: Number(tests), failed, skipped });
  });
}

/** Jest names its tests with `--verbose`, or if there is a single test file. */
export function jestNames(text: string): readonly NamedTest[] {
  if (!/^(?:PASS|FAIL) /m.test(text)) return [];
  const lines = /^ +([✓√✕×○✎]) (?:(?:skipped|todo) )?(.+?)(?: \([\d.]+ m?s\))?$/gm;
  return [...text.matchAll(lines)].map(([, mark = "", name = ""]) => ({
    name,
    status: mark === "✎" ? "passed" : statusOf(mark),
  }));
}

/** The test files that Jest lists; `undefined` if the list is incomplete. */
export function jestFiles(text: string): string[] | undefined {
  const lines = [...text.matchAll(/^(?:PASS|FAIL) (.{1,500})$/gm)].map(([, line = ""]) => line);
  const files = new Set(lines.map((line) => line.replace(/ \([\d.]+ m?s\b[^)]*\)$/, "").trim()));
  const total = sum(text.match(/^Test Suites: .*$/gm)?.join("\n") ?? "", /(\d+) (?:passed|failed)/g);
  return files.size > 0 && files.size === total ? [...files] : undefined;
}

/** Playwright prints a line for each attempt; the last one counts. */
export function playwrightNames(text: string): readonly NamedTest[] {
  const lines = /^ {2}([✓✘-]) +\d+ (.{1,1000}?)(?: \([\d.]+m?s\))?$/gm;
  const last = new Map(
    [...text.matchAll(lines)].map(([, mark = "", name = ""]) => [name.replace(/ \(retry #\d+\)$/, ""), mark]),
  );
  return [...last].map(([name, mark]) => ({ name, status: statusOf(mark) }));
}

/** Mocha lists the failed tests again below its summary. A line starting with `> ` is npm's, and starts another run. */
export function mochaNames(text: string): readonly NamedTest[] {
  const reports = text.replaceAll(/^ {2}\d+ failing$[\s\S]*?(?=^> |(?![\s\S]))/gm, "");
  // If no test is pending, a line with a dash is output of the code under test.
  const marks = /^ +\d+ pending$/m.test(text) ? "✓|✔|-" : "✓|✔";
  const lines = new RegExp(`^ {2,}(?:(${marks})|(\\d+)\\)) (.+?)(?: \\(\\d+ms\\))?$`, "gm");
  return [...reports.matchAll(lines)].map(([, mark, , name = ""]) => ({
    name,
    status: mark === undefined ? "failed" : statusOf(mark),
  }));
}

export const vitestMessage = ({ after }: PrintedTest) =>
  firstIn(after(), /^ *(?:→ )?(?! *(?:FAIL|×|✓|❯) )(\S.*)/);
export function jestMessage({ after }: PrintedTest): string | undefined {
  const own = linesUntil(after().replace(/^ *● .*\n/, ""), /^\s*● /, 40);
  const [expected, received] = [/^ *(Expected.*: .*)$/m, /^ *(Received.*: .*)$/m].map((pattern) =>
    firstIn(own, pattern),
  );
  return expected === undefined || received === undefined
    ? firstIn(own, /^ *(\S.*)$/m)
    : `${expected}, ${received}`;
}

/** Bun prints a test's error before its result. */
export function bunMessage({ before }: PrintedTest): string | undefined {
  const own = before()
    .split(/^\((?:pass|fail|skip|todo)\) .*$/m)
    .at(-1);
  return firstIn(own ?? "", /^error: (.*(?:\n\nExpected: .*\nReceived: .*)?)/m);
}

/** The reporter `spec` repeats failing tests at the end, with their messages. */
export function nodeMessage({ after }: PrintedTest): string | undefined {
  const own = linesUntil(after(), /^\s*(?:at |[✖✔▶ℹ] )/, 20);
  return /^\s+\S/.test(own) ? own : undefined;
}
