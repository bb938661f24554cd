import type { TestInventory } from "../../ports/tests.ts";
import { type Counts, sum } from "./counts.ts";

/** The result of one test. */
export interface NamedTest {
  readonly name: string;
  readonly status: "passed" | "failed" | "skipped";
}

/** Readers for the names of tests in an output, by runner. */
export const nameReaders: Readonly<Record<string, (text: string) => readonly NamedTest[]>> = {
  "node:test": nodeNames,
  "vitest or jest": (text) => [...vitestNames(text), ...jestNames(text)],
  "cargo test": byPattern(/^test (.+?) \.\.\. (ok|FAILED|ignored)\b/gm),
  "cargo nextest": byPattern(
    /^[^\S\n]+(?<status>PASS|FAIL|SKIP) \[[^\]\n]*\]\s+(?:\(\s*\d+\/\d+\)\s+)?(?<name>.+)$/gm,
  ),
  pytest: byPattern(/^((?:(?!::)\S)+::.+?) (PASSED|FAILED|SKIPPED|XFAIL|XPASS|ERROR)\b/gm),
  unittest: byPattern(/^(\w+ \([\w.]+\))(?:\n.*)? \.\.\. (ok|FAIL|ERROR|skipped|expected failure)/gm),
  mocha: mochaNames,
  maven: mavenNames,
  // Tests marked `todo` are not counted. If there are several files, a name starts with its file.
  ava: byPattern(
    /^ {2}(?<status>[✔✘-])(?! \[todo\])(?: \[\w+\]:?)? (?:.{1,500} › )?(?<name>.+?)(?: \([\d.]+m?s\))?$/gm,
  ),
  ctest: byPattern(
    /^[^\S\n]*\d+\/\d+ Test\s+#\d+: (\S+) \.*\s*(?:\*+)?(Passed|Failed|Skipped|Not Run|Exception|Timeout)/gm,
  ),
  "bun test": byPattern(/^\((?<status>pass|fail|skip|todo)\) (?<name>.{1,500}?)(?: \[[\d.]+m?s\])?$/gm),
  // Steps are indented, and are not counted.
  "deno test": byPattern(
    /^(?<name>\S.{0,500}?) \.\.\. (?<status>ok|FAILED|ignored)(?: \([^)\n]{1,30}\)){0,2}$/gm,
  ),
  // The line that ends a suite is followed by its counts.
  robot: byPattern(/^(?<name>[^|\s][^|\n]{0,500})\| (?<status>PASS|FAIL|SKIP) \|$(?!\n\d+ tests?, )/gm),
  playwright: playwrightNames,
  meson: byPattern(
    /^ *\d+\/\d+ (?<name>\S.{0,200}?) +(?<status>OK|FAIL|ERROR|TIMEOUT|SKIP|EXPECTEDFAIL|UNEXPECTEDPASS) +[\d.]+s\b/gm,
  ),
  automake: byPattern(/^(?<status>PASS|FAIL|SKIP|XFAIL|XPASS|ERROR): (?<name>\S+)/gm),
  "zig test": zigNames,
  gtest: byPattern(/^\[ +(?<status>OK|FAILED|SKIPPED) +\] (?<name>\S+\.\S+) \(\d+ ms\)/gm),
};

const statuses: Readonly<Record<string, NamedTest["status"]>> = {
  ok: "passed",
  pass: "passed",
  passed: "passed",
  xpass: "passed",
  "✔": "passed",
  "✓": "passed",
  "√": "passed",
  ignored: "skipped",
  todo: "skipped",
  skip: "skipped",
  skipped: "skipped",
  xfail: "skipped",
  expectedfail: "skipped",
  "-": "skipped",
  "﹣": "skipped",
  "○": "skipped",
  "expected failure": "skipped",
};

/** The status that a word or mark of a runner means; an unknown one is a failure. */
export const statusOf = (outcome: string): NamedTest["status"] => statuses[outcome.toLowerCase()] ?? "failed";

/** Names and statuses from a pattern's groups: named groups, or else the name first. */
function byPattern(pattern: RegExp): (text: string) => readonly NamedTest[] {
  return (text) =>
    [...text.matchAll(pattern)].map(({ groups, 1: first = "", 2: second = "" }) => ({
      name: (groups?.["name"] ?? first).trim(),
      status: statusOf(groups?.["status"] ?? second),
    }));
}

/** A suite opens with `▶`, and closes with a line that looks like a test. */
function nodeNames(text: string): readonly NamedTest[] {
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
function vitestNames(text: string): readonly NamedTest[] {
  const lines =
    /^[^\S\n]*[✓✔❯×↓][^\S\n]+(?:\|?[\w-]+\|?[^\S\n]+)?(\S+)[^\S\n]+\((\d+) tests?(?: \| ([^)]*))?\)/gm;
  return [...text.matchAll(lines)].flatMap(([, file = "", tests = "0", rest = ""]) => {
    const failed = Number(/(\d+) failed/.exec(rest)?.[1] ?? 0);
    const skipped = Number(/(\d+) skipped/.exec(rest)?.[1] ?? 0);
    return repeated(file, { total: Number(tests), failed, skipped });
  });
}

/** Jest names its tests with `--verbose`, or if there is a single test file. */
function jestNames(text: string): readonly NamedTest[] {
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
function playwrightNames(text: string): readonly NamedTest[] {
  const lines = /^ {2}([✓✘-]) +\d+ (.{1,1000}?)(?: \([\d.]+m?s\))?$/gm;
  const last = new Map(
    [...text.matchAll(lines)].map(([, mark = "", name = ""]) => [name.replace(/ \(retry #\d+\)$/, ""), mark]),
  );
  return [...last].map(([name, mark]) => ({ name, status: statusOf(mark) }));
}

/** Below a name is what the test printed, and then its result. */
function zigNames(text: string): readonly NamedTest[] {
  const starts = [...text.matchAll(/^\d+\/\d+ (\S.{0,500}?)\.\.\./gm)];
  return starts.map(({ 0: start, 1: name = "", index }, at) => {
    const result = text.slice(index + start.length, starts[at + 1]?.index);
    const word = /^(?:.*?(OK|SKIP)|FAIL \(\w+\))$/m.exec(result)?.[1] ?? "FAIL";
    return { name, status: statusOf(word) };
  });
}

/** Surefire lists classes: the class's name is repeated for each of its tests. */
function mavenNames(text: string): readonly NamedTest[] {
  const lines =
    /Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+), Time elapsed: [^\n]*? (?:-- )?in (\S+)/g;
  return [...text.matchAll(lines)].flatMap(([, total, failures, errors, skipped, name = ""]) =>
    repeated(name, {
      total: Number(total),
      failed: Number(failures) + Number(errors),
      skipped: Number(skipped),
    }),
  );
}

function repeated(
  name: string,
  { total, failed, skipped }: { readonly total: number; readonly failed: number; readonly skipped: number },
): readonly NamedTest[] {
  const status = (at: number) => (at < failed ? "failed" : at < failed + skipped ? "skipped" : "passed");
  return Array.from({ length: Math.min(total, 10_000) }, (_, at) => ({ name, status: status(at) }));
}

/** Mocha lists the failed tests again below its summary. A line starting with `> ` is npm's, and starts another run. */
function mochaNames(text: string): readonly NamedTest[] {
  const reports = text.replaceAll(/^ {2}\d+ failing$[\s\S]*?(?=^> |(?![\s\S]))/gm, "");
  // If no test is pending, a line with a dash is output of the code under test.
  const marks = /^ +\d+ pending$/m.test(text) ? "✓|✔|-" : "✓|✔";
  const lines = new RegExp(`^ {2,}(?:(${marks})|(\\d+)\\)) (.+?)(?: \\(\\d+ms\\))?$`, "gm");
  return [...reports.matchAll(lines)].map(([, mark, , name = ""]) => ({
    name,
    status: mark === undefined ? "failed" : statusOf(mark),
  }));
}

export type Names = NonNullable<TestInventory["names"]>;

/** The number of tests with each status. */
export function countOf(tests: readonly NamedTest[]): Counts {
  const names = namesOf(tests);
  return { passed: names.passed.length, failed: names.failed.length, skipped: names.skipped.length };
}

/** The names of the tests with each status. */
export const namesOf = (tests: readonly NamedTest[]): Names => ({
  passed: tests.filter(({ status }) => status === "passed").map(({ name }) => name),
  failed: tests.filter(({ status }) => status === "failed").map(({ name }) => name),
  skipped: tests.filter(({ status }) => status === "skipped").map(({ name }) => name),
});
