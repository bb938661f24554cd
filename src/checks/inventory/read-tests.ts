import type { TestInventory } from "../../ports/tests.ts";
import { type Calls, callsIn } from "../calls.ts";
import { withoutColour } from "../colours.ts";
import { tools } from "../tools/index.ts";
import type { Block, Counts } from "../tools/printed.ts";
import { mostOfNames } from "./compare.ts";
import { readGo, withoutVerboseLines } from "./go.ts";
import { countOf, type Names, namesOf } from "./names.ts";
import { leavesOutCached, outputsIn, scriptsIn } from "./prefixes.ts";
import { formats, readReports } from "./reports.ts";
import { add, type Runner, readSummaries, runners } from "./summaries.ts";

/** JUnit XML that tools wrote during a check; empty if a tool wrote none. */
interface Reports {
  readonly pytest?: string;
  readonly maven?: string;
  readonly gradle?: string;
  readonly gotestsum?: string;
  readonly googleTest?: string;
}

/**
 * The tests that a check ran. Adds up complete reports, `go test`, and the summaries of the test runners that the check
 * is known to start; of all of them, if none is known. For tools that wrote reports, only the reports count. `undefined`
 * if there are none of these. Summaries that count only failures are ignored, unless they name every test: without the
 * number of tests, nothing can be compared.
 */
export function readTests(output: string, written: Reports = {}, calls?: Calls): TestInventory | undefined {
  const own = (["pytest", "maven", "gradle", "gotestsum"] as const)
    .map((runner) => ({ ...readReports(written[runner] ?? ""), runner }))
    .filter(({ tests }) => tests.length > 0);
  const known = own.map(({ runner }) => runner);
  const whole = withoutColour(output).replaceAll(lineEnd, "\n");
  const texts =
    calls?.leavesOutCached || leavesOutCached(whole) ? [whole] : outputsIn(whole).flatMap(scriptsIn);
  const called = calls && runners.filter(({ ids }) => ids.some((id) => calls.tools.includes(id)));
  const mayCount = called?.length ? runners.filter((one) => called.includes(one) || !one.called) : runners;
  const read = { known, mayCount, calls };
  const inventories = [...own.flatMap(ofReport), ...texts.flatMap((text) => readOutput(text, read))].map(
    ({ largestRun, ...one }) =>
      calls?.isRetried ? { ...one, largestRun: largestRun ?? distinct(one) } : one,
  );
  const [first, ...others] = inventories;
  const all = withGoogleTest(first && others.reduce(joined, first), written.googleTest ?? "");
  return all && bounded({ ...all, ...(calls && aboutCalls(inventories, calls)) });
}

/** What the text of the check says about how these tests are to be compared. */
function aboutCalls(inventories: readonly TestInventory[], calls: Calls): Partial<TestInventory> {
  const isKnown = tools.some(
    ({ id, summary, tests, failing, tap }) =>
      calls.tools.includes(id) && (summary ?? tests ?? failing ?? tap) !== undefined,
  );
  const isReport = ({ runner }: TestInventory) => formats.includes(runner);
  return {
    ...(calls.isPartial ? { partial: true } : {}),
    ...(calls.acceptsFailures ? { accepted: true } : {}),
    ...(!isKnown && inventories.every(isReport) ? { unknown: true } : {}),
  };
}

/** The number of tests that ran, each once. */
const distinct = ({ names, passed, failed }: TestInventory) =>
  names === undefined ? passed + failed : new Set([...names.passed, ...names.failed]).size;

interface Reading {
  /** Runners that wrote a report. */
  readonly known: readonly string[];
  /** Those whose summaries count. */
  readonly mayCount: readonly Runner[];
  readonly calls: Calls | undefined;
}

function readOutput(output: string, { known, ...reading }: Reading): readonly TestInventory[] {
  const text = withoutOutputOfTests(output);
  const report = readReports(text);
  // With `-v`, prove repeats the TAP that it counts.
  const counted = report.runner === "TAP" ? [...known, "prove"] : known;
  const inventories = [...ofReport(report), ...ofSummaries(report.rest, { known: counted, ...reading })];
  const go = readGo(report.rest);
  // gotestsum prints `go test` lines only for packages that could not be built.
  const isGotestsum = [...known, ...inventories.map(({ runner }) => runner)].includes("gotestsum");
  return go === undefined || isGotestsum ? inventories : [...inventories, go];
}

const blocks = tools.flatMap(({ output = [] }) => output);

/**
 * The output without that of single tests. Otherwise a summary in it would count as long as the test fails, and an
 * honest fix would seem to lose tests.
 */
function withoutOutputOfTests(text: string): string {
  let block: Block | undefined;
  const own = text.split("\n").filter((line) => {
    if (block?.end.test(line)) block = undefined;
    const isOutput = block !== undefined && block.keep?.test(line) !== true;
    block ??= blocks.find(({ start }) => start.test(line));
    return !isOutput;
  });
  return own.join("\n");
}

/** GoogleTest may have run under CTest, which counts only processes: its names are compared, but not counted. */
function withGoogleTest(all: TestInventory | undefined, report: string): TestInventory | undefined {
  // If asked, it writes a mere list of its tests, without a status.
  const tests = readReports(
    report.replaceAll(/<testcase\b(?![^>]* status="(?:run|notrun)")[^>]*\/>/g, ""),
  ).tests;
  if (tests.length === 0) return all;
  const names = namesOf(tests.map((one) => ({ ...one, name: `${one.name.replace(" ", ".")} (GoogleTest)` })));
  if (all === undefined) return { runner: "gtest", ...countOf(tests), names };
  const isPartly = all.names === undefined || all.partlyNamed;
  return {
    ...all,
    names: joinedNames(all.names === undefined ? [names] : [all.names, names]),
    ...(isPartly ? { partlyNamed: true } : {}),
  };
}

/** Uniform line ends: otherwise patterns would match some as spaces, in time quadratic in the output's length. */
const lineEnd = /\r\n?|[\u2028\u2029]/g;

function ofReport({ runner, tests }: ReturnType<typeof readReports>): readonly TestInventory[] {
  if (runner === undefined) return [];
  return [{ runner, ...countOf(tests), names: namesOf(tests) }];
}

function ofSummaries(text: string, { known, mayCount, calls }: Reading): readonly TestInventory[] {
  let rest = text;
  return runners.flatMap((runner) => {
    const summaries = readSummaries(rest, runner.summary);
    rest = summaries.rest;
    if (known.includes(runner.runner) || !mayCount.includes(runner)) return [];
    const isNested = calls && !runner.summary.areParts && summaries.all.length > callsIn(calls, runner.ids);
    return ofRunner(runner, summaries, text).map((one) => (isNested ? { ...one, nested: true } : one));
  });
}

function ofRunner(
  { runner, summary, tests: read = () => [], files: filesIn = () => undefined }: Runner,
  { all, onlyFailures }: ReturnType<typeof readSummaries>,
  text: string,
): readonly TestInventory[] {
  if (all.length === 0) return [];
  const printed = read(text);
  const counts = all.reduce(add);
  const stray = printed.filter(({ name, status }) => status === "passed" && isOnlyFile(runner, name)).length;
  const own = { ...counts, passed: Math.max(0, counts.passed - stray) };
  // If the summary counts no test with this status, the line is output of the code under test.
  const tests = printed.filter(({ name, status }) => own[status] > 0 && !isOnlyFile(runner, name));
  const named = tests.length > 0 && isComplete(runner, countOf(tests), own);
  if (onlyFailures && !(named && summary.omitsZeros)) return [];
  const files = filesIn(text);
  const failedAtLast = all.at(-1)?.failed ?? 0;
  return [
    {
      runner,
      ...own,
      ...(named ? { names: namesOf(tests) } : {}),
      ...(all.length > 1 ? { largestRun: Math.max(...all.map((one) => one.passed + one.failed)) } : {}),
      // Tests with the same name, such as that of their file, may pass and fail in the same run.
      ...(failedAtLast > 0 ? { failedAtLast } : {}),
      ...(files === undefined ? {} : { files: [...files] }),
    },
  ];
}

/** node:test counts a file without tests as a passed test. */
const isOnlyFile = (runner: string, name: string) => runner === "node:test" && /\.[cm]?[jt]sx?$/.test(name);

/** Whether all counted tests were found by name. In node:test, tests with subtests look like suites. */
function isComplete(runner: string, named: Counts, counted: Counts): boolean {
  const keys = ["passed", "failed", "skipped"] as const;
  return keys.every((key) =>
    runner === "node:test" ? named[key] <= counted[key] : named[key] === counted[key],
  );
}

function joined(one: TestInventory, other: TestInventory): TestInventory {
  const both = [one, other];
  const names = both.flatMap(({ names = [] }) => names);
  const files = both.flatMap(({ files = [] }) => files);
  const isAny = (key: "incomplete" | "nested") => (one[key] || other[key] ? { [key]: true } : {});
  const sumOf = (key: "failedAtLast" | "largestRun") => {
    const all = (one[key] ?? 0) + (other[key] ?? 0);
    return all > 0 ? { [key]: all } : {};
  };
  return {
    runner: one.runner === other.runner ? one.runner : `${one.runner}, ${other.runner}`,
    ...add(one, other),
    ...isAny("incomplete"),
    ...isAny("nested"),
    ...(names.length > 0 ? { names: joinedNames(names) } : {}),
    ...(names.length === 1 || one.partlyNamed || other.partlyNamed ? { partlyNamed: true } : {}),
    ...(files.length > 0 ? { files } : {}),
    ...sumOf("failedAtLast"),
    ...sumOf("largestRun"),
  };
}

const joinedNames = (all: readonly Names[]): Names => ({
  passed: all.flatMap(({ passed }) => passed),
  failed: all.flatMap(({ failed }) => failed),
  skipped: all.flatMap(({ skipped }) => skipped),
});

function bounded({ names, files, partlyNamed, ...inventory }: TestInventory): TestInventory {
  return {
    ...inventory,
    ...(names !== undefined && isShort(Object.values(names).flat())
      ? { names, ...(partlyNamed ? { partlyNamed } : {}) }
      : {}),
    ...(files !== undefined && isShort(files) ? { files } : {}),
  };
}

const isShort = (names: readonly string[]) =>
  names.reduce((all, name) => all + name.length + 4, 0) <= mostOfNames;

/** Output without the lines that appear only because a check's tools were asked to name its tests. */
export function withoutAskedFor(
  text: string,
  { junit, isVerbose }: { readonly junit: string; readonly isVerbose: boolean },
): string {
  const quiet = isVerbose || !text.includes("=== RUN") ? text : withoutVerboseLines(text);
  return quiet.includes(junit) ? quiet.replace(/^-+ generated xml file: .* -+\n/gm, "") : quiet;
}
