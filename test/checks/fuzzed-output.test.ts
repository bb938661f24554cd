import { expect, test } from "vitest";
import { whyNoTests } from "../../src/checks/broken-check.ts";
import { readTests } from "../../src/checks/inventory/read-tests.ts";
import { endsSoon } from "../parts/ends-soon.ts";
import { fc } from "../parts/random.ts";

/** Pieces of what test runners print, which a program may print in any order, cut anywhere. */
const pieces = [
  "=== 2 failed, 3 passed, 1 error in 0.12s ===\n",
  "tests/test_a.py::test_b PASSED [ 50%]\n",
  "--- FAIL: TestB/a_b (0.00s)\n=== RUN   TestA\nok  \texample.com/a\t0.01s\n",
  '{"Action":"pass","Package":"a","Test":"TestA"}\n',
  "test a::b ... ok\ntest result: FAILED. 1 passed; 2 failed; 0 ignored;\n",
  " Test Files  1 failed (1)\n      Tests  2 failed | 3 passed | 1 skipped (6)\n",
  "Tests:       3 failed, 1 skipped, 2 passed, 6 total\n",
  "TAP version 13\n1..2\nok 1 - a # SKIP\n    not ok 1 - b\n  ---\n  at: x\n  ...\n# tests 5\n# pass 3\n",
  '<testsuites><testsuite name="a" tests="1"><testcase name="b" classname="c"/><failure>',
  "</testsuite></testsuites>\n",
  '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "&b;&b;">]><testsuite><testcase name="&b;">',
  '{"results":{"tests":[{"name":"a","status":"passed"},',
  "]}}\n",
  "Ran 5 tests in 0.001s\n\nFAILED (failures=1, errors=1, skipped=1)\n",
  "ℹ tests 99999999999999999999\nℹ pass 1e9\n✔ a (1ms)\n",
  "[ERROR] Tests run: 5, Failures: 1, Errors: 1, Skipped: 1\n",
  "npm error Missing script: test\n",
  "\u001b[31m",
  "\u001b[2K\r",
  "\0",
  "\ud800",
  "((((",
  "    ",
  "-".repeat(5_000),
];

const output = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...pieces) },
      { weight: 1, arbitrary: fc.string({ maxLength: 40, unit: "binary" }) },
      {
        weight: 1,
        arbitrary: fc
          .tuple(fc.constantFrom(...pieces), fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 60 }))
          .map(([piece, from, length]) => piece.slice(from, from + length)),
      },
      {
        weight: 1,
        arbitrary: fc
          .tuple(fc.constantFrom(...pieces), fc.integer({ min: 2, max: 300 }))
          .map(([piece, times]) => piece.repeat(times)),
      },
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

test("whatever a check prints is read without a crash and to an end, and its counts are numbers", () => {
  endsSoon(() =>
    fc.assert(
      fc.property(output, output, fc.constantFrom(0, 1, 2, 127), (text, pytest, exitCode) => {
        const tests = readTests(text, { pytest, googleTest: pytest });
        const { passed = 0, failed = 0, skipped = 0 } = tests ?? {};
        for (const count of [passed, failed, skipped]) expect(count).toBeGreaterThanOrEqual(0);
        const why = whyNoTests({ exitCode, output: text, tests });
        expect(why === undefined || text.includes(why)).toBe(true);
      }),
      { numRuns: 1_000 },
    ),
  );
});
