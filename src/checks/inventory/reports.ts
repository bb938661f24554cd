import { XMLParser } from "fast-xml-parser";
import { Parser as TapParser } from "tap-parser";
import { z } from "zod";
import { parseJson } from "../../ports/parse-json.ts";
import type { NamedTest } from "../tools/printed.ts";
import { uncollected } from "./names.ts";

/** The formats of reports, as the names of runners. */
export const formats: readonly string[] = ["CTRF", "JUnit XML", "TAP"];

/** Complete reports in a check's output (CTRF, JUnit XML, TAP), and the output without them. */
export function readReports(text: string): {
  readonly runner: string | undefined;
  readonly tests: readonly NamedTest[];
  readonly rest: string;
} {
  for (const read of [readCtrf, readJunit, readTap]) {
    const report = read(text);
    if (report !== undefined) return report;
  }
  return { runner: undefined, tests: [], rest: text };
}

type ReadReports = ReturnType<typeof readReports>;

const ctrf = z.object({
  results: z.object({ tests: z.array(z.object({ name: z.string(), status: z.string() })) }),
});

function readCtrf(text: string): ReadReports | undefined {
  const start = text.search(/^\{/m);
  const end = text.lastIndexOf("}") + 1;
  if (start < 0 || end <= start || !text.includes('"results"')) return undefined;
  const parsed = ctrf.safeParse(parseJson(text.slice(start, end)));
  if (!parsed.success) return undefined;
  const tests = parsed.data.results.tests.map(({ name, status }) => ({ name, status: known(status) }));
  return { runner: "CTRF", tests, rest: text.slice(0, start) + text.slice(end) };
}

const known = (status: string): NamedTest["status"] =>
  status === "passed" ? "passed" : status === "failed" ? "failed" : "skipped";

/** The parser expands no entities, because a check's output is not trusted. */
const xml = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: "@",
  processEntities: false,
  parseAttributeValue: false,
  isArray: (name) => name === "testsuite" || name === "testcase",
});

interface Suite {
  readonly "@name"?: unknown;
  readonly "@tests"?: unknown;
  readonly testsuite?: readonly Suite[];
  readonly testcase?: readonly Testcase[];
}

type Testcase = Readonly<Record<string, unknown>>;

function readJunit(text: string): ReadReports | undefined {
  const documents = documentsIn(text);
  if (documents.length === 0) return undefined;
  const tests = documents.flatMap(([from, to]) => casesIn(parsed(text.slice(from, to))));
  const ends = [0, ...documents.map(([, to]) => to)];
  const rest = ends.map((end, index) => text.slice(end, documents[index]?.[0])).join("");
  return { runner: "JUnit XML", tests, rest };
}

const opening = /<testsuite(s?)\b/g;

/** The start and end of each document; adjacent suites without a root element are one. Linear in the text's length. */
function documentsIn(text: string): readonly (readonly [from: number, to: number])[] {
  const ranges: (readonly [number, number])[] = [];
  const lastSuite = text.lastIndexOf(closing);
  let lastAll = 0;
  let end = 0;
  for (const { index, 1: isAll } of text.matchAll(opening)) {
    if (index < end) continue;
    if (isAll && lastAll >= 0) lastAll = text.indexOf(closingAll, index);
    const [at, tag] = isAll ? [lastAll, closingAll] : [lastSuite, closing];
    if (at < index) continue;
    end = at + tag.length;
    ranges.push([index, end]);
  }
  return ranges;
}

const closing = "</testsuite>";
const closingAll = "</testsuites>";

function parsed(document: string): Suite {
  try {
    const root = xml.parse(document) as Suite & { readonly testsuites?: Suite };
    return root.testsuites ?? root;
  } catch {
    return {};
  }
}

function casesIn({ testsuite, testcase, ...suite }: Suite): readonly NamedTest[] {
  const cases = Array.isArray(testcase) ? testcase : [];
  const all = isOfPytest(suite, cases) ? lastAttempts(cases) : cases;
  const own = all.filter((one, at) => !isOnlyTeardown(one, all[at - 1]));
  const inner = Array.isArray(testsuite) ? testsuite : [];
  return [...own.map(caseOf), ...inner.flatMap((suite) => (typeof suite === "object" ? casesIn(suite) : []))];
}

function caseOf(testcase: Testcase): NamedTest {
  const has = (key: string) => Object.hasOwn(testcase, key);
  const name = [testcase["@classname"], testcase["@name"]].filter((part) => typeof part === "string");
  const status =
    has("failure") || has("error")
      ? "failed"
      : has("skipped") || testcase["@status"] === "notrun"
        ? "skipped"
        : "passed";
  return { name: name.join(" ") + (isUncollected(testcase["error"]) ? uncollected : ""), status };
}

/** The suite's name is its default. With pytest-rerunfailures, the suite counts fewer tests than it has cases. */
const isOfPytest = (suite: Suite, { length }: readonly Testcase[]) =>
  suite["@name"] === "pytest" || length > Number(suite["@tests"] ?? length);

/**
 * If pytest-rerunfailures repeats a test, each attempt has a case, and the failed ones look as if they had passed. Only
 * tests are counted.
 */
function lastAttempts(cases: readonly Testcase[]): readonly Testcase[] {
  const key = (one: Testcase) => JSON.stringify([one["@classname"], one["@name"]]);
  const last = new Map(cases.map((one) => [key(one), one]));
  return cases.filter((one) => hasOutcome(one) || last.get(key(one)) === one);
}

const hasOutcome = (one: Testcase) => ["failure", "error", "skipped"].some((key) => Object.hasOwn(one, key));

/** After a failed test, pytest reports a failed teardown as if it were another test. */
const isOnlyTeardown = (one: Testcase, before: Testcase | undefined) =>
  before !== undefined &&
  Object.hasOwn(before, "failure") &&
  messageOf(one["error"])?.startsWith("failed on teardown ") === true &&
  ["@classname", "@name"].every((key) => one[key] === before[key]);

/** pytest reports a module that cannot be imported as if it were a test. */
const isUncollected = (error: unknown) => messageOf(error) === "collection failure";

function messageOf(error: unknown): string | undefined {
  const message = typeof error === "object" && error !== null ? Reflect.get(error, "@message") : undefined;
  return typeof message === "string" ? message : undefined;
}

function readTap(text: string): ReadReports | undefined {
  const plan = /^(?:TAP version \d+|1\.\.\d+)[ \t]*$/m;
  if (!plan.test(text) || !/^(?:not )?ok\b/m.test(text)) return undefined;
  // Text before the version is another tool's output. For node:test, the summary is more reliable than the lines.
  if (/^# cancelled \d+$/m.test(text)) return undefined;
  const start = text.search(/^(?:TAP version|1\.\.\d+|ok\b(?! {2}\t)|not ok\b)/m);
  const end = endOfTap(text);
  const tests = assertsIn(TapParser.parse(text.slice(start, end)));
  if (tests.length === 0) return undefined;
  return { runner: "TAP", tests, rest: `${text.slice(0, start)}${text.slice(end)}` };
}

/** The end of TAP's last line and the comments below it; another tool's output follows. */
function endOfTap(text: string): number {
  const [last] = [...text.matchAll(lineOfTap)].slice(-1);
  return last === undefined ? text.length : last.index + last[0].length;
}

/** `go test` prints `ok`, two spaces and a tab, which is not TAP. */
const lineOfTap =
  /^ *(?:(?:not )?ok\b(?! {2}\t)|1\.\.\d+|\.\.\.$|Bail out!).*(?:\n|$)(?:[ \t]*(?:#.*)?\n)*(?:[ \t]*#.*$)?/gm;

/** Only the innermost tests: the line after a child summarizes it. */
function assertsIn(events: readonly (readonly unknown[])[]): readonly NamedTest[] {
  const tests: NamedTest[] = [];
  let inner: readonly NamedTest[] = [];
  for (const [kind, value] of events) {
    if (kind === "child") inner = assertsIn(value as readonly (readonly unknown[])[]);
    if (kind !== "assert") continue;
    tests.push(...(inner.length > 0 ? inner : [assertOf(value as TapAssert)]));
    inner = [];
  }
  return tests;
}

interface TapAssert {
  readonly ok: boolean;
  readonly name?: string;
  readonly id?: number;
  readonly skip?: string | boolean;
  readonly todo?: string | boolean;
}

const assertOf = ({ ok, name, id, skip, todo }: TapAssert): NamedTest => ({
  name: name === undefined || name === "" ? `test ${id ?? ""}`.trim() : name,
  status: skip ? "skipped" : ok || todo ? "passed" : "failed",
});
