import { expect, test } from "vitest";
import { compareTests } from "../../src/checks/inventory/compare.ts";
import { readTests, withoutAskedFor } from "../../src/checks/inventory/read-tests.ts";
import type { TestInventory } from "../../src/ports/tests.ts";
import { endsSoon } from "../parts/ends-soon.ts";

type Counts = readonly [passed: number, failed: number, skipped: number];

test.each<[tool: string, output: string, counts: Counts]>([
  [
    "node:test, spec",
    "✔ a (1ms)\n✖ b (1ms)\nℹ tests 3\nℹ suites 0\nℹ pass 1\nℹ fail 1\nℹ cancelled 0\nℹ skipped 1\nℹ todo 0\n",
    [1, 1, 1],
  ],
  [
    "node:test, TAP",
    "TAP version 13\n# tests 5\n# suites 0\n# pass 3\n# fail 1\n# cancelled 1\n# skipped 0\n# todo 0\n",
    [3, 2, 0],
  ],
  ["Vitest", " Test Files  1 failed (1)\n      Tests  2 failed | 3 passed | 1 skipped (6)", [3, 2, 1]],
  ["Jest", "Test Suites: 1 failed, 1 total\nTests:       3 failed, 1 skipped, 2 passed, 6 total", [2, 3, 1]],
  ["Jest, if all tests fail", "Test Suites: 1 failed, 1 total\nTests:       3 failed, 3 total", [0, 3, 0]],
  ["Vitest, if all tests fail", " Test Files  1 failed (1)\n      Tests  2 failed (2)", [0, 2, 0]],
  ["Cucumber, if all tests fail", "1 scenario (1 failed)\n3 steps (1 failed, 2 skipped)\n", [0, 1, 0]],
  ["Mocha", "    ✔ a\n    1) b\n    - c\n\n  1 passing (4ms)\n  1 pending\n  1 failing\n", [1, 1, 1]],
  ["AVA", "  2 tests passed\n  1 test failed\n  1 test skipped", [2, 1, 1]],
  ["Playwright", "  1 failed\n    [chromium] › a.spec.ts\n  2 skipped\n  3 passed (2.1s)\n", [3, 1, 2]],
  ["Jasmine", "3 specs, 1 failure, 1 pending spec\nFinished in 0.012 seconds\n", [1, 1, 1]],
  ["pytest", "=== 2 failed, 3 passed, 1 skipped, 1 error in 0.12s ===", [3, 3, 1]],
  [
    "automake",
    "PASS: a\nFAIL: b\n====\n# TOTAL: 2\n# PASS:  1\n# SKIP:  0\n# XFAIL: 0\n# FAIL:  1\n# XPASS: 0\n# ERROR: 0\n",
    [1, 1, 0],
  ],
  [
    "Meson",
    "\nOk:                 2   \nExpected Fail:      0   \nFail:               1   \nUnexpected Pass:    0   \nSkipped:            1   \nTimeout:            0   \n",
    [2, 1, 1],
  ],
  [
    "dotnet's terminal logger",
    "Test summary: total: 3, failed: 1, succeeded: 1, skipped: 1, duration: 1.2s",
    [1, 1, 1],
  ],
  [
    "CTest, which shows what failed tests printed",
    "Test project /x/build\n    Start 1: Add.Adds\n1/2 Test #1: Add.Adds .........***Failed    0.00 sec\n[==========] 1 test from 1 test suite ran. (0 ms total)\n[  PASSED  ] 0 tests.\n[  FAILED  ] 1 test, listed below:\n\n2/2 Test #2: Add.AddsNothing ...   Passed    0.00 sec\n\n50% tests passed, 1 tests failed out of 2\n",
    [1, 1, 0],
  ],
  ["pytest, quiet", "..F\n1 failed, 2 passed in 0.01s\n", [2, 1, 0]],
  ["unittest", "Ran 5 tests in 0.001s\n\nFAILED (failures=1, errors=1, skipped=1)\n", [2, 2, 1]],
  [
    "unittest with subtests",
    "Ran 3 tests in 0.001s\n\nFAILED (failures=3, errors=1, skipped=1)\n",
    [0, 2, 1],
  ],
  ["unittest with skipped subtests", "Ran 3 tests in 0.001s\n\nFAILED (failures=2, skipped=4)\n", [0, 0, 3]],
  ["unittest, no class set up", "Ran 0 tests in 0.000s\n\nFAILED (errors=1)\n", [0, 1, 0]],
  ["unittest, green", "Ran 5 tests in 0.001s\n\nOK\n", [5, 0, 0]],
  [
    "go test",
    "ok  \texample.com/a\t0.01s\nFAIL\texample.com/b\t0.01s\n?   \texample.com/c\t[no test files]\n",
    [1, 1, 0],
  ],
  [
    "go test -v",
    "=== RUN   TestA\n--- PASS: TestA (0.00s)\n=== RUN   TestB\n--- FAIL: TestB (0.00s)\nFAIL\texample.com/a\t0.01s\n",
    [1, 1, 0],
  ],
  [
    "cargo test",
    "test a ... ok\ntest result: ok. 3 passed; 0 failed; 1 ignored;\ntest result: FAILED. 1 passed; 2 failed; 0 ignored;",
    [4, 2, 1],
  ],
  ["cargo nextest", "     Summary [   0.012s] 4 tests run: 3 passed, 1 failed, 2 skipped", [3, 1, 2]],
  ["RSpec", "5 examples, 1 failure, 2 pending", [2, 1, 2]],
  ["Minitest", "5 runs, 8 assertions, 1 failures, 1 errors, 1 skips", [2, 2, 1]],
  ["PHPUnit", "Tests: 5, Assertions: 7, Errors: 1, Failures: 1, Skipped: 1.", [2, 2, 1]],
  ["PHPUnit, green", "OK (3 tests, 4 assertions)", [3, 0, 0]],
  ["dotnet test", "Failed!  - Failed:     2, Passed:     3, Skipped:     1, Total:     6", [3, 2, 1]],
  [
    "Maven",
    "[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in a.BTest\n[ERROR] Tests run: 5, Failures: 1, Errors: 1, Skipped: 1\n",
    [2, 2, 1],
  ],
  ["Gradle", "5 tests completed, 2 failed, 1 skipped", [2, 2, 1]],
  ["CTest", "67% tests passed, 1 tests failed out of 3", [2, 1, 0]],
  [
    "GoogleTest",
    "[==========] 3 tests from 1 test suite ran. (0 ms total)\n[  PASSED  ] 2 tests.\n[  FAILED  ] 1 test, listed below:",
    [2, 1, 0],
  ],
  ["Catch2", "test cases: 3 | 2 passed | 1 failed", [2, 1, 0]],
  ["bun test", " 3 pass\n 1 skip\n 2 fail\nRan 6 tests across 1 files.", [3, 2, 1]],
  ["deno test", "FAILED | 3 passed | 2 failed | 1 ignored (12ms)", [3, 2, 1]],
  ["prove", "All tests successful.\nFiles=2, Tests=7,  0 wallclock secs", [7, 0, 0]],
  ["busted", "3 successes / 1 failure / 1 error / 2 pending : 0.01 seconds", [3, 2, 2]],
  ["testthat", "[ FAIL 1 | WARN 0 | SKIP 2 | PASS 3 ]", [3, 1, 2]],
  [
    "testthat, with details in between",
    "[ FAIL 1 | WARN 0 | SKIP 1 | PASS 3 ]\n\n══ Skipped tests ═════\n• later (1)\n\n══ Failed tests ══════\n── Failure (???): adds ──\nadd(1, 2) not equal to 3.\n\n[ FAIL 1 | WARN 0 | SKIP 1 | PASS 3 ]\nError: Test failures\nExecution halted\n",
    [3, 1, 1],
  ],
  [
    "testthat, in ASCII, for two packages",
    "[ FAIL 0 | WARN 0 | SKIP 1 | PASS 3 ]\n\n== Skipped tests =====\n* later (1)\n\n[ FAIL 0 | WARN 0 | SKIP 1 | PASS 3 ]\n[ FAIL 0 | WARN 0 | SKIP 0 | PASS 2 ]\n",
    [5, 0, 1],
  ],
  ["swift test", "\t Executed 3 tests, with 1 failure (0 unexpected) in 0.1 (0.1) seconds", [2, 1, 0]],
  ["TAP", "TAP version 13\n1..3\nok 1 - a\nnot ok 2 - b\nok 3 - c # SKIP later\n", [1, 1, 1]],
  [
    "JUnit XML",
    '<testsuites><testsuite name="s"><testcase classname="c" name="a"/><testcase name="b"><failure/></testcase><testcase name="d"><skipped/></testcase></testsuite></testsuites>',
    [1, 1, 1],
  ],
  [
    "CTRF",
    '{"results":{"tests":[{"name":"a","status":"passed","duration":1},{"name":"b","status":"failed","duration":1},{"name":"c","status":"pending","duration":1}]}}',
    [1, 1, 1],
  ],
  [
    "TAP and what follows it",
    "1..2\nok 1 a\nok 2 b\n# done\n\n Test Files  1 passed (1)\n      Tests  2 passed | 1 failed (3)\n",
    [4, 1, 0],
  ],
  [
    "go test before TAP",
    "=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\nok  \tx\t0.001s\n1..1\nnot ok 1 a\n",
    [1, 1, 0],
  ],
  ["several tools", "3 passed in 0.1s\n\nRan 2 tests in 0.001s\n\nOK\n", [5, 0, 0]],
  ["several packages", "ℹ tests 2\nℹ pass 2\nℹ fail 0\n> b\nℹ tests 3\nℹ pass 2\nℹ fail 1\n", [4, 1, 0]],
])("counts the tests of %s", (_tool, output, [passed, failed, skipped]) => {
  expect(readTests(output)).toMatchObject({ passed, failed, skipped });
});

test.each(["", "OK\n", "src/a.ts:1:2 error Missing semicolon", "5 warnings", "All tests passed\n"])(
  "says nothing of tests where the output does not: %j",
  (output) => {
    expect(readTests(output)).toBeUndefined();
  },
);

test.each<[string, string, Partial<TestInventory>]>([
  [
    "cargo test",
    "test a ... ok\ntest b::c ... FAILED\ntest result: FAILED. 1 passed; 1 failed; 0 ignored;",
    { names: { passed: ["a"], failed: ["b::c"], skipped: [] } },
  ],
  [
    "suites of node:test",
    "▶ suite\n  ✔ a (1ms)\n  ✖ b (1ms)\n✖ suite (2ms)\nℹ tests 2\nℹ suites 1\nℹ pass 1\nℹ fail 1\n",
    { names: { passed: ["a"], failed: ["b"], skipped: [] } },
  ],
  [
    "files of Vitest",
    " ✓ a.test.ts (2 tests) 3ms\n ❯ b.test.ts (2 tests | 1 failed) 3ms\n      Tests  1 failed | 3 passed (4)",
    { names: { passed: ["a.test.ts", "a.test.ts", "b.test.ts"], failed: ["b.test.ts"], skipped: [] } },
  ],
  [
    "Mocha, also those outside of suites, but not those repeated below its summary",
    "\n  ✔ top\n  1) top fails\n  suite\n    - later\n    ✔ deep (92ms)\n\n  2 passing (4ms)\n  1 pending\n  1 failing\n\n  1) top fails:\n     Error\n      - old\n",
    { names: { passed: ["top", "deep"], failed: ["top fails"], skipped: ["later"] } },
  ],
  [
    "Mocha, where the code prints a list",
    "  - loaded\n  suite\n    ✔ a\n\n  1 passing (4ms)\n",
    { names: { passed: ["a"], failed: [], skipped: [] } },
  ],
  [
    "two runs of Mocha",
    "> a@1.0.0 test\n> mocha\n\n  ✔ a\n  1) b\n\n  1 passing (4ms)\n  1 failing\n\n  1) b:\n     Error\n\n> c@1.0.0 test\n> mocha\n\n  ✔ c\n\n  1 passing (4ms)\n",
    { names: { passed: ["a", "c"], failed: ["b"], skipped: [] } },
  ],
  [
    "Jest with one file",
    "FAIL test/j.test.js\n  ✓ top (1 ms)\n  a\n    ○ skipped y\n    ✎ todo z\n    b\n      ✕ w (4 ms)\n\n  ● a › b › w\n\nTest Suites: 1 failed, 1 total\nTests:       1 failed, 1 skipped, 1 todo, 1 passed, 4 total\n",
    { names: { passed: ["top", "z"], failed: ["w"], skipped: ["y"] }, files: ["test/j.test.js"] },
  ],
  [
    "Jest with several files: these",
    "PASS test/a.test.js (5.1 s)\nFAIL api test/b.test.js\n  ● w\n\nTest Suites: 1 failed, 1 passed, 2 total\nTests:       1 failed, 3 passed, 4 total\n",
    { passed: 3, failed: 1, files: ["test/a.test.js", "api test/b.test.js"], failedAtLast: 1 },
  ],
  [
    "AVA, without those still to be written",
    "  - [skip] d\n  - [todo] e\n  ✔ a b\n  ✘ [fail]: c\n  ─\n\n  1 test passed\n  1 test failed\n  1 test skipped\n  1 test todo\n",
    { names: { passed: ["a b"], failed: ["c"], skipped: ["d"] } },
  ],
  [
    "one tool of two, which is said",
    "test a ... ok\ntest result: ok. 1 passed; 0 failed; 0 ignored;\n3 examples, 0 failures\n",
    { passed: 4, names: { passed: ["a"], failed: [], skipped: [] }, partlyNamed: true },
  ],
])("names the tests of %s", (_tool, output, inventory) => {
  expect(readTests(output)).toMatchObject(inventory);
});

test("a file of node:test that reported no test is none", () => {
  expect(readTests("✔ test/a.test.js (20ms)\nℹ tests 1\nℹ pass 1\nℹ fail 0\n")).toMatchObject({ passed: 0 });
});

test("names are left out where the output does not give them all", () => {
  expect(readTests("test a ... ok\ntest result: ok. 2 passed; 0 failed; 0 ignored;")).not.toHaveProperty(
    "names",
  );
});

test("failures that were repeated with success are none", () => {
  const red = "3 examples, 1 failure\n";
  expect(readTests(red)).toMatchObject({ failed: 1, failedAtLast: 1 });
  expect(readTests(`${red}1 example, 0 failures\n`)).not.toHaveProperty("failedAtLast");
});

test("a report of pytest counts instead of its closing line", () => {
  const report = '<testsuites><testsuite><testcase classname="t" name="a"/></testsuite></testsuites>';
  expect(readTests("1 passed in 0.1s\n", { pytest: report })).toEqual({
    runner: "pytest",
    passed: 1,
    failed: 0,
    skipped: 0,
    names: { passed: ["t a"], failed: [], skipped: [] },
  });
});

test("a module that pytest could not import is no test that may be missing later", () => {
  const of = (cases: string) =>
    readTests("", { pytest: `<testsuites><testsuite>${cases}</testsuite></testsuites>` });
  const before = of(
    '<testcase classname="" name="tests.test_a"><error message="collection failure">x</error></testcase>',
  );
  expect(before).toMatchObject({ failed: 1, names: { failed: [" tests.test_a (not collected)"] } });
  const after = of('<testcase classname="tests.test_a" name="test_a"/>');
  if (before === undefined) throw new Error("nothing was read");
  expect(compareTests({ before, after, fixed: true })).toEqual({ gone: [], new: ["tests.test_a test_a"] });
});

test("a test of AVA keeps its name when a further file makes AVA print the names of files", () => {
  const one = readTests("\n  ✘ [fail]: adds\n  ✔ is › nothing\n  ─\n\n  1 test failed\n");
  const two = readTests(
    "\n  ✔ unit › add › adds (12ms)\n  ✔ unit › add › is › nothing\n  ✔ more › x\n  ─\n\n  3 tests passed\n",
  );
  if (one === undefined || two === undefined) throw new Error("nothing was read");
  expect(compareTests({ before: one, after: two, fixed: true }).complaint).toBeUndefined();
  expect(two.names?.passed).toEqual(["adds", "nothing", "x"]);
});

// As pytest-rerunfailures 16.7 writes it: the attempts before the last have no outcome.
test("a test of pytest that was repeated is one test, with the outcome of the last attempt", () => {
  const cases = `<testcase classname="t" name="bad"/><testcase classname="t" name="bad"/>
    <testcase classname="t" name="bad"><failure/></testcase><testcase classname="t" name="ok"/>
    <testcase classname="t" name="flaky"/><testcase classname="t" name="flaky"/>`;
  const tests = { passed: 2, failed: 1, names: { passed: ["t ok", "t flaky"], failed: ["t bad"] } };
  const ofSuite = (attributes: string) =>
    readTests("", { pytest: `<testsuites><testsuite ${attributes}>${cases}</testsuite></testsuites>` });
  // Subtests are counted, but have no case of their own.
  expect(ofSuite('name="pytest" tests="9"')).toMatchObject(tests);
  expect(ofSuite('name="other" tests="3"')).toMatchObject(tests);
  expect(ofSuite('name="other" tests="6"')).toMatchObject({ passed: 5, failed: 1 });
});

test("a test of pytest that fails, and whose teardown fails too, is one test", () => {
  const pytest = `<testsuites><testsuite>
    <testcase classname="t" name="a"><failure message="assert 0">x</failure></testcase>
    <testcase classname="t" name="a"><error message="failed on teardown with &quot;assert 0&quot;">x</error></testcase>
    <testcase classname="t" name="b"><error message="failed on teardown with &quot;assert 0&quot;">x</error></testcase>
  </testsuite></testsuites>`;
  expect(readTests("", { pytest })).toMatchObject({ failed: 2, names: { failed: ["t a", "t b"] } });
});

test("a quiet Maven is known by its reports", () => {
  const maven =
    '<?xml version="1.0"?>\n<testsuite name="x.AddTest" tests="2"><properties/><testcase name="adds" classname="x.AddTest" time="0"/><testcase name="addsNothing" classname="x.AddTest" time="0"/></testsuite>';
  expect(readTests("", { maven })).toEqual({
    runner: "maven",
    passed: 2,
    failed: 0,
    skipped: 0,
    names: { passed: ["x.AddTest adds", "x.AddTest addsNothing"], failed: [], skipped: [] },
  });
  expect(readTests("[ERROR] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0\n", { maven })).toMatchObject({
    passed: 2,
  });
});

test("a test of CTest that ended before GoogleTest had run it is missing", () => {
  const output = (result: string) =>
    `Test project /x/build\n1/1 Test #1: Add.Adds ...${result}  0.00 sec\n\n${result === "Passed" ? "100% tests passed, 0" : "0% tests passed, 1"} tests failed out of 1\n`;
  const report = (inner: string, status = ' status="run"') =>
    `<testsuites tests="1"><testsuite name="Add"><testcase name="Adds"${status} classname="Add"${inner}</testsuite></testsuites>`;
  const listed = report(" />", "");
  const before = readTests(output("***Failed"), {
    googleTest: `${listed}\n${report("><failure/></testcase>")}`,
  });
  expect(before).toMatchObject({ failed: 1, names: { failed: ["Add.Adds", "Add.Adds (GoogleTest)"] } });
  if (before === undefined) throw new Error("nothing was read");
  const compared = (googleTest: string) =>
    compareTests({ before, after: readTests(output("Passed"), { googleTest }), fixed: true }).complaint;
  expect(compared(`${listed}\n${report(" />")}`)).toBeUndefined();
  expect(compared(listed)).toBe("tests that ran before no longer run: Add.Adds (GoogleTest)");
  expect(compared(report("><failure/></testcase>"))).toBe("tests failed: Add.Adds (GoogleTest)");
});

test("what was printed only for the inventory is taken out again", () => {
  const text =
    "=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\nok  \tx\t0.1s\n- generated xml file: /s/p.xml -\nend\n";
  expect(withoutAskedFor(text, { junit: "/s/p.xml", isVerbose: false })).toBe("ok  \tx\t0.1s\nend\n");
});

test("hostile output of full size is read to its end", () => {
  for (const piece of [
    "1 passed ",
    "<testsuite ",
    "Ran 1 tests in ",
    "not ok ",
    "1 failed in 1",
    "▶ ",
    "{",
    "ok 1 - a\n",
    "\n",
    "\r",
    "\u2028",
    "a::",
    "</testsuites><testsuites ",
    "# pass 1\nTAP version 13\nok 1 - a\n ---\n",
  ])
    endsSoon(() => readTests(piece.repeat((64 * 1024) / piece.length)));
});
