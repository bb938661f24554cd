import { expect, test } from "vitest";
import { failingCount } from "../../src/checks/failing-count.ts";
import { endsSoon } from "../parts/ends-soon.ts";

const esc = "\u001b";

test.each<[tool: string, output: string, failing: number | undefined]>([
  ["node:test, TAP", "# tests 5\n# pass 3\n# fail 2\n# cancelled 0", 2],
  ["node:test, spec", "ℹ tests 5\nℹ pass 5\nℹ fail 0\n", 0],
  ["node:test, coloured", `${esc}[34mℹ fail 2${esc}[39m`, 2],
  ["vitest", " Test Files  1 failed (1)\n      Tests  2 failed | 3 passed (5)", 2],
  ["vitest, green", " Test Files  1 passed (1)\n      Tests  5 passed (5)", 0],
  ["vitest, coloured", `${esc}[2m      Tests ${esc}[22m ${esc}[31m2 failed${esc}[39m | 3 passed`, 2],
  ["jest", "Test Suites: 1 failed, 1 total\nTests:       3 failed, 2 passed, 5 total", 3],
  ["jest, green", "Tests:       5 passed, 5 total", 0],
  ["pytest", "FAILED test_a.py::test_x\n======= 2 failed, 3 passed in 0.12s =======", 2],
  ["pytest, with errors", "=== 1 failed, 4 passed, 2 errors in 1.20s (0:00:01) ===", 3],
  ["pytest, quiet and green", "3 passed in 0.01s", 0],
  ["mocha", "  3 passing (12ms)\n  2 failing\n\n  1) a thing", 2],
  ["mocha, green", "  3 passing (12ms)\n", 0],
  ["go test", "--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/sub (0.00s)\n--- FAIL: TestB (0.00s)\nFAIL", 2],
  ["go test, green", "ok  \texample.com/a\t0.012s", 0],
  ["go test, not built", "FAIL\texample.com/a [build failed]\nok  \texample.com/b\t0.012s", undefined],
  ["cargo test", "test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured", 2],
  [
    "cargo test, several",
    "test result: ok. 3 passed; 0 failed;\ntest result: FAILED. 1 passed; 1 failed;",
    1,
  ],
  ["JUnit XML", '<testsuites tests="5" failures="2" errors="1">\n<testsuite name="a" failures="2">', 3],
  ["JUnit XML, suites only", '<testsuite name="a" failures="2">\n<testsuite name="b" failures="1">', 3],
  ["maven", "Tests run: 2, Failures: 1, Errors: 0\n\nTests run: 5, Failures: 2, Errors: 1, Skipped: 0", 3],
  ["TAP without a total", "TAP version 13\n1..3\nok 1\nnot ok 2\nnot ok 3 # TODO later", 1],
  ["TAP, green", "1..2\nok 1\nok 2", 0],
  ["rspec", "5 examples, 2 failures", 2],
  ["phpunit", "Tests: 5, Assertions: 7, Errors: 1, Failures: 2.", 3],
  ["unittest", "Ran 5 tests in 0.001s\n\nFAILED (failures=2, errors=1)", 3],
  ["unittest, green", "Ran 5 tests in 0.001s\n\nOK", 0],
  ["dotnet", "Failed!  - Failed:     2, Passed:     3, Skipped:     0", 2],
  ["gradle", "5 tests completed, 2 failed", 2],
  ["deno", "FAILED | 3 passed | 2 failed (12ms)", 2],
  ["bun", " 3 pass\n 2 fail\nRan 5 tests across 1 files.", 2],
  ["a linter", "src/a.ts:1:2 error Missing semicolon", undefined],
  ["Windows line ends", "# pass 3\r\n# fail 2\r\n", 2],
  ["nothing", "", undefined],
])("counts the failing tests of %s", (_tool, output, failing) => {
  expect(failingCount(output)).toBe(failing);
});

test("believes the last total, which is that of the run asked about", () => {
  expect(failingCount("# fail 9\n(second run)\n# fail 1")).toBe(1);
});

test("reads hostile output of full size to its end", () => {
  for (const piece of ["1 passed ", "<testsuite ", "Ran 1 tests in ", "not ok ", "1 failed in 1"])
    endsSoon(() => failingCount(piece.repeat((16 * 1024) / piece.length)));
  for (const piece of ["\n", " \n", "t/a.t (Wstat: 1 Tests: 1 Failed: ", "1 passed; 1 skipped; "])
    endsSoon(() => failingCount(piece.repeat((256 * 1024) / piece.length)));
});
