import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { failingCount } from "../../src/checks/failing-count.ts";
import { failingTests } from "../../src/checks/failing-tests.ts";
import { readTests } from "../../src/checks/inventory/read-tests.ts";

/** What the programs printed for a small project with failing tests; only paths were changed. */
const outputs = join(import.meta.dirname, "outputs");
const read = (tool: string) => readFileSync(join(outputs, `${tool}.txt`), "utf8");

const notThree = "AssertionError: expected -1 to be 3 // Object.is equality";
const notTwo = "AssertionError: expected +0 to be 2 // Object.is equality";
const perl = [
  "adds two numbers: got: '-1' expected: '3'",
  "at t/sum.t line 4: got: '1' expected: '2'",
  "deep",
  "inner",
];

const cases: readonly (readonly [tool: string, count: number, tests: readonly string[]])[] = [
  ["ava", 2, ["adds two numbers", "throws Error thrown in test"]],
  ["bats", 1, ["adds two numbers: (in test file b/a.bats, line 2) `[ $((1 - 2)) -eq 3 ]' failed"]],
  ["behave", 1, ["features/sum.feature:2  adds two numbers"]],
  ["bun", 1, ["sum > adds two numbers: expect(received).toBe(expected) Expected: 3 Received: -1"]],
  [
    "busted",
    1,
    [
      "sum adds two numbers: spec/sum_spec.lua:2: Expected objects to be equal. Passed in: (number) -1 Expected: (number) 3",
    ],
  ],
  ["ctest", 1, ["adds: FAIL: add(1, 2) is -1"]],
  ["deno", 2, ["adds two numbers: -1 is not 3", "with steps ... inner adds: 0 is not 4"]],
  ["eunit", 1, ["sums_tests:adds_test/0: expected: 3 got: -1"]],
  [
    "exunit",
    1,
    [
      "test adds two numbers (SumsTest): Assertion with == failed code: assert Sums.add(1, 2) == 3 left: -1 right: 3",
    ],
  ],
  ["gtest", 1, ["Sum.Adds"]],
  ["jasmine", 2, ["sum adds two numbers: Expected -1 to be 3.", "top: Error: boom"]],
  [
    "jest",
    3,
    [
      "sum › inner › adds two numbers: Expected: 3, Received: -1",
      "top level: Expected: 2, Received: 0",
      "throws: boom",
      "t/broken.test.js: Cannot find module './nothing-here' from 't/broken.test.js'",
    ],
  ],
  ["karma", 1, ["calc adds: Expected -1 to be 3."]],
  ["karma-dots", 1, ["calc adds: Expected -1 to be 3."]],
  ["karma-mocha", 1, ["adds: Expected -1 to be 3."]],
  ["maven", 1, ["addsTwoNumbers(x.SumTest): java.lang.AssertionError: expected:<3> but was:<-1>"]],
  ["meson", 1, ["x:adds"]],
  ["minitest", 1, ["SumTest#test_adds_two_numbers: Expected: 3 Actual: -1"]],
  [
    "mocha",
    5,
    [
      "top level: TypeError: boom",
      'slow: Error: Timeout of 20ms exceeded. For async tests and hooks, ensure "done()" is called; if returning a Promise, ensure it resolves. (/project/m/mocha.test.cjs)',
      "sum > adds two numbers: -1 == 3",
      "sum > inner > deep equal: Expected values to be loosely deep-equal:",
      'sum > hooks > "before each" hook for "never": Error: no hook',
    ],
  ],
  [
    "node-test",
    4,
    [
      "adds two numbers: -1 == 3",
      "deep equal: Expected values to be loosely deep-equal: { a: 1 } should loosely deep-equal { a: 2 }",
      "never: Error: no hook",
      "top level: TypeError: boom",
    ],
  ],
  ["prove", 3, perl],
  ["prove-verbose", 3, perl],
  ["robot", 1, ["Adds two numbers"]],
  [
    "test-unit",
    2,
    [
      "test_adds_two_numbers(SumTest): <3> expected but was <-1>",
      "test_error(SumTest): NoMethodError: undefined method `nothing' for Sum:Module",
    ],
  ],
  [
    "uvu",
    2,
    [
      "adds two numbers: Expected values to be strictly equal: (is)",
      "in suite: Expected values to be strictly equal: (is)",
    ],
  ],
  ["vitest-3", 1, [`test/sum.test.js > sum > adds two numbers: ${notThree}`]],
  [
    "vitest-projects",
    4,
    [
      "v/broken.test.mjs: Error: Cannot find module './nothing.mjs' imported from /project/v/broken.test.mjs",
      `v/second.test.mjs > sum > inner > adds two numbers: ${notThree}`,
      `v/second.test.mjs > top level: ${notTwo}`,
      `v/vitest.test.mjs > sum > inner > adds two numbers: ${notThree}`,
      `v/vitest.test.mjs > top level: ${notTwo}`,
    ],
  ],
  ["boost", 1, ["adds: check -1 == 3 has failed [-1 != 3]"]],
  ["check", 1, ["core:adds: Assertion '-1 == 3' failed: -1 == -1, 3 == 3"]],
  ["cmocka", 1, ["adds"]],
  [
    "cpputest",
    1,
    ["calc, adds: LONGS_EQUAL(3, -1) failed expected < 3 (0x3)> but was <-1 (0xffffffffffffffff)>"],
  ],
  ["criterion", 1, ["calc::adds"]],
  ["ginkgo", 1, ["calc [It] adds"]],
  ["gocheck", 1, ["S.TestAdds: c.Assert(-1, Equals, 3) ... obtained int = -1 ... expected int = 3"]],
  ["green", 1, ["test_a.T.test_adds: AssertionError: -1 != 3"]],
  ["hunit", 1, ["0:adds: x expected: 3 but got: -1"]],
  ["lab", 1, ["calc adds: Expected -1 to equal specified value: 3"]],
  ["luaunit", 1, ["TestCalc.testAdds: t.lua:3: expected: 3, actual: -1"]],
  ["stestr", 1, ["test_a.T.test_adds"]],
  ["tasty", 1, ["adds: expected: 3 but got: -1"]],
  ["trial", 1, ["test_a.T.test_adds"]],
  ["ward", 1, ["test_w:2 adds"]],
  ["web-test-runner", 1, ["adds: Error: no"]],
  ["zig", 1, []],
];

/** `go test` also counts the function that starts them. */
const insideGo = ["ginkgo", "gocheck"];

test.each(cases)("names and counts the failing tests in real output of %s", (tool, count, tests) => {
  const output = read(tool);
  expect(failingCount(output)).toBe(count);
  expect(readTests(output)?.failed).toBe(insideGo.includes(tool) ? count + 1 : count);
  expect(
    failingTests(output).map(({ name, message }) => (message === undefined ? name : `${name}: ${message}`)),
  ).toEqual(tests);
});

test("every recorded output has a case", () => {
  expect(readdirSync(outputs).sort()).toEqual(cases.map(([tool]) => `${tool}.txt`).sort());
});

test("the tests that prove repeats with -v count once", () => {
  expect(readTests(read("prove-verbose"))).toMatchObject({ passed: 1, failed: 3 });
  expect(readTests(read("prove"))).toMatchObject({ passed: 1, failed: 3 });
});

test("a test of Deno that failed in a step is compared by name", () => {
  expect(readTests(read("deno"))?.names?.failed).toEqual(["adds two numbers", "with steps"]);
});
