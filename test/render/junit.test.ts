import { XMLParser, XMLValidator } from "fast-xml-parser";
import { expect, test } from "vitest";
import type { RunEventBody } from "../../src/engine/run-events.ts";
import { junit } from "../../src/render/junit.ts";
import { collectDetails } from "../../src/status/run-details.ts";
import { summarizeEvents } from "../../src/status/run-summary.ts";
import { eventsOf, iteration, loopEnded, loopStarted, runStarted } from "./run-events.ts";

interface Case {
  readonly "@name": string;
  readonly "@classname": string;
  readonly failure?: { readonly "@message": string };
  readonly skipped?: { readonly "@message": string };
}

interface Suite {
  readonly "@name": string;
  readonly "@tests": string;
  readonly "@failures": string;
  readonly "@skipped": string;
  readonly testcase: readonly Case[];
}

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: "@",
  isArray: (name) => name === "testsuite" || name === "testcase",
});

/** The suites as a reader has them: each case by name, with its result. */
function read(xml: string) {
  expect(XMLValidator.validate(xml)).toBe(true);
  const { testsuites } = parser.parse(xml) as {
    testsuites: { readonly "@tests": string; readonly "@failures": string; testsuite: readonly Suite[] };
  };
  const resultOf = (one: Case) =>
    one.failure ? `failed: ${one.failure["@message"]}` : one.skipped !== undefined ? "skipped" : "passed";
  const suites = testsuites.testsuite.map((suite) => {
    const cases = suite.testcase.map((one) => [one["@name"], resultOf(one)] as const);
    const of = (result: string) => cases.filter(([, has]) => has.startsWith(result)).length;
    expect([suite["@tests"], suite["@failures"], suite["@skipped"]].map(Number)).toEqual([
      cases.length,
      of("failed"),
      of("skipped"),
    ]);
    return [suite["@name"], Object.fromEntries(cases)] as const;
  });
  const all = testsuites.testsuite.flatMap((suite) => suite.testcase);
  expect(Number(testsuites["@tests"])).toBe(all.length);
  expect(Number(testsuites["@failures"])).toBe(all.filter(({ failure }) => failure).length);
  return Object.fromEntries(suites);
}

const ended = (conclusion: "success" | "failure"): RunEventBody => ({
  type: "run.ended",
  conclusion,
  stop_reason: conclusion === "success" ? "until-bash" : "max-iterations",
  output: "",
  results: {},
  iterations: 2,
  usage: { input_tokens: 0, output_tokens: 0, cost_usd: 0 },
});

const names = (failed: readonly string[], passed: readonly string[]) => ({
  runner: "pytest",
  passed: passed.length,
  failed: failed.length,
  skipped: 1,
  names: { passed: [...passed], failed: [...failed], skipped: ["test_old"] },
});

const reported = (
  runEvents: readonly RunEventBody[],
  tests: ReadonlyMap<string, ReturnType<typeof names>>,
) => {
  const events = eventsOf(...runEvents);
  return read(junit(summarizeEvents(events), { ...collectDetails(events), tests }));
};

test("a green run lists its iterations and the tests of its last check, and nothing in it is a failure", () => {
  const events = [runStarted, loopStarted, ...iteration(1, 2), ...iteration(2, 0), ended("success")];
  const paths = events.flatMap((event) => (event.type === "stop.tested" ? [event.path] : []));
  const tests = new Map([
    [paths[0] ?? "", names(["test_a", "test_b"], [])],
    [paths[1] ?? "", names([], ["test_a", "test_b"])],
  ]);
  expect(reported(events, tests)).toEqual({
    "fix-tests": { "fix-tests": "passed" },
    "fix-tests · fix": { "fix · iteration 1 of 10": "skipped", "fix · iteration 2 of 10": "passed" },
    "fix-tests · fix · iteration 2 of 10 · tests": {
      test_a: "passed",
      test_b: "passed",
      test_old: "skipped",
    },
  });
});

test("a red run fails by its last iteration and by the tests that fail then", () => {
  const events = [
    runStarted,
    loopStarted,
    ...iteration(1, 2),
    ...iteration(2, 1),
    { ...loopEnded(2), status: "failed" } as RunEventBody,
    ended("failure"),
  ];
  const path = events.findLast((event) => event.type === "stop.tested")?.path ?? "";
  expect(reported(events, new Map([[path, names(['a <b> & "c"\u0007\uFFFE\uD800'], ["test_b"])]]))).toEqual({
    "fix-tests": { "fix-tests": "failed: max-iterations" },
    "fix-tests · fix": {
      "fix · iteration 1 of 10": "skipped",
      "fix · iteration 2 of 10": expect.stringMatching(/^failed: ❌ 1 test failing/),
    },
    "fix-tests · fix · iteration 2 of 10 · tests": {
      'a <b> & "c"��': "failed: fails",
      test_b: "passed",
      test_old: "skipped",
    },
  });
});

test("a failing test has the message that the check printed, if only one test has its name", () => {
  const tail =
    " FAIL  a.test.ts > sum > adds\nError: 2 is not 3\n FAIL  a.test.ts > one > same\nError: x\n FAIL  a.test.ts > two > same\nError: y\n";
  const events = [
    runStarted,
    loopStarted,
    ...iteration(1, 3).map((event) => (event.type === "stop.tested" ? { ...event, tail } : event)),
    { ...loopEnded(1), status: "failed" } as RunEventBody,
    ended("failure"),
  ];
  const path = events.findLast((event) => event.type === "stop.tested")?.path ?? "";
  expect(reported(events, new Map([[path, names(["adds", "same"], [])]]))).toMatchObject({
    "fix-tests · fix · iteration 1 of 10 · tests": {
      adds: "failed: Error: 2 is not 3",
      same: "failed: fails",
    },
  });
});
