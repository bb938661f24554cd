import { describe, expect, test } from "vitest";
import { compareTests } from "../../src/checks/inventory/compare.ts";
import { readTests } from "../../src/checks/inventory/read-tests.ts";
import type { TestInventory } from "../../src/ports/tests.ts";

type Counts = readonly [passed: number, failed: number, skipped: number];

// Recorded from the programs; the rows from Cucumber's on, and two of shunit2's, are written from their documentation and
// from logs that others published.
test.each<[tool: string, output: string, counts: Counts]>([
  ["uvu", "\n  Total:     3\n  Passed:    2\n  Skipped:   1\n  Duration:  1.23ms\n", [2, 1, 1]],
  [
    "Behave",
    "0 features passed, 1 failed, 0 skipped\n3 scenarios passed, 1 failed, 1 error, 2 skipped\n7 steps passed, 1 failed, 0 skipped\n",
    [3, 2, 2],
  ],
  ["Cucumber", "4 scenarios (1 failed, 1 undefined, 2 passed)\n8 steps (1 failed, 7 passed)\n", [2, 2, 0]],
  ["sbt", "[error] Failed: Total 3, Failed 1, Errors 0, Passed 2\n[error] Failed tests:\n", [2, 1, 0]],
  [
    "sbt with ScalaTest",
    "[info] Tests: succeeded 2, failed 1, canceled 0, ignored 0, pending 0\n[info] *** 1 TEST FAILED ***\n[error] Failed: Total 3, Failed 1, Errors 0, Passed 2\n",
    [2, 1, 0],
  ],
  [
    "sbt, two projects",
    "[info] Passed: Total 1, Failed 0, Errors 0, Passed 1\n[info] Passed: Total 2, Failed 0, Errors 0, Passed 2, Ignored 1\n",
    [3, 0, 1],
  ],
  [
    "Bazel",
    "//a:x_test    PASSED in 0.1s\n\nExecuted 1 out of 2 tests: 1 test passes and 1 fails locally.\n",
    [1, 1, 0],
  ],
  ["Bazel, from its cache", "Executed 0 out of 3 tests: 3 tests pass.\n", [3, 0, 0]],
  ["kaocha", "3 tests, 5 assertions, 1 errors, 1 failures.\n", [1, 2, 0]],
  [
    "Swift Testing",
    "✘ Test run with 25 tests in 1 suite failed after 0.397 seconds with 2 issues.\n",
    [23, 2, 0],
  ],
  ["Swift Testing, green", "✔ Test run with 1 test passed after 0.001 seconds.\n", [1, 0, 0]],
  [
    "Foundry",
    "Ran 2 test suites in 1.64s (23.12ms CPU time): 3 tests passed, 1 failed, 0 skipped (4 total tests)\n",
    [3, 1, 0],
  ],
  ["Dart and Flutter", "00:00 +1: adds\n00:01 +2 ~1 -1: Some tests failed.\n", [2, 1, 1]],
  [
    "Dart in GitHub Actions",
    "::group::❌ wait (failed)\n::endgroup::\n::error::1 test passed, 4 failed, 1 skipped.\n",
    [1, 4, 1],
  ],
  ["Dart in GitHub Actions, green", "🎉 2 tests passed.\n", [2, 0, 0]],
  ["Dart, green", "00:00 +1: adds\n00:01 +2: All tests passed!\n", [2, 0, 0]],
  ["Common Test", "Failed 1 tests. Skipped 1 (0, 1) tests. Passed 2 tests.\n", [2, 1, 1]],
  // Its lines end with a space.
  ["Common Test, failed", "Failed 1 tests. Passed 2 tests. \n", [2, 1, 0]],
  ["Common Test, skipped", "Skipped 2 (2, 0) tests. Passed 0 tests. \n", [0, 0, 2]],
  ["Common Test, green", "%%% calc_SUITE: ..\nAll 2 tests passed.\n", [2, 0, 0]],
  ["Julia", "Test Summary: | Pass  Total\nQ tests       |  344    344\n", [344, 0, 0]],
  [
    "Julia with broken tests",
    "Test Summary: | Pass  Broken  Total\nGAlgebra.jl   | 1289       1   1290\n   Testing GAlgebra tests passed\n",
    [1289, 0, 1],
  ],
  [
    "Julia with time, two sets",
    "Test Summary: | Pass  Total     Time\nPhyloMakie.jl |  353    353  1m41.4s\nTest Summary: | Pass  Total  Time\nb | 10     10  0.0s\n",
    [363, 0, 0],
  ],
  [
    "Julia with failures",
    "Test Summary: | Pass  Fail  Error  Broken  Total  Time\nFoo Tests     |    3     1      2       1      7  0.5s\n  Animals     |    1     1              2  0.4s\n  Arrays      |    2            2  0.1s\nERROR: LoadError: Some tests did not pass: 3 passed, 1 failed, 2 errored, 1 broken.\n",
    [3, 3, 1],
  ],
  [
    "Julia, nothing passes",
    "Test Summary: | Fail  Total  Time\nA             |    1      1  0.0s\n",
    [0, 1, 0],
  ],
  ["phpspec", "1 specs\n3 examples (2 passed, 1 failed)\n12ms\n", [2, 1, 0]],
  ["Terraform", "Failure! 2 passed, 1 failed.\n", [2, 1, 0]],
  ["dbt", "13:13:08  Done. PASS=18 WARN=1 ERROR=1 SKIP=2 NO-OP=0 TOTAL=22\n", [19, 1, 2]],
  ["Conftest", "4 tests, 2 passed, 1 warning, 1 failure, 0 exceptions\n", [3, 1, 0]],
  ["OPA", "PASS: 2/3\nFAIL: 1/3\n", [2, 1, 0]],
  [
    "Unity",
    "a.c:1:test_a:PASS\na.c:2:test_b:FAIL: Expected 1 Was 2\n\n----\n2 Tests 1 Failures 0 Ignored \nFAIL\n",
    [1, 1, 0],
  ],
  ["CppUTest, green", "OK (3 tests, 2 ran, 5 checks, 1 ignored, 0 filtered out, 1 ms)\n", [2, 0, 1]],
  ["lab, green", "2 tests passed (1 skipped)\nTest duration: 3 ms\n", [2, 0, 1]],
  ["Boost.Test, green", "Running 3 test cases...\n\n*** No errors detected\n", [3, 0, 0]],
  [
    "Boost.Test with more failures than tests",
    'Running 2 test cases...\na.cpp(1): error: x\n\n*** 5 failures are detected in the test module "a"\n',
    [0, 2, 0],
  ],
  ["tasty, green", "All 3 tests passed (0.00s)\n", [3, 0, 0]],
  ["Cabal", "Test suite t: PASS\n1 of 1 test suites (1 of 1 test cases) passed.\n", [1, 0, 0]],
  ["trial, green", "Ran 3 tests in 0.011s\n\nPASSED (successes=2, skips=1)\n", [2, 0, 1]],
  ["shunit2", "testAdds\ntestNothing\n\nRan 2 tests.\n\nFAILED (failures=3)\n", [0, 2, 0]],
  ["shunit2, green", "Ran 3 tests.\n\nOK (skipped=1)\n", [2, 0, 1]],
  ["gotestsum", "✖  . (58ms)\n\nDONE 2 runs, 5 tests, 1 skipped, 2 failures in 0.058s\n", [2, 2, 1]],
])("counts the tests of %s", (_tool, output, [passed, failed, skipped]) => {
  expect(readTests(output)).toMatchObject({ passed, failed, skipped });
});

test.each<[string, string, Partial<TestInventory>]>([
  [
    "tape, whose closing lines look like those of node:test",
    "TAP version 13\n# adds\nnot ok 1 sums\n  ---\n    operator: equal\n  ...\nok 2 nothing\n\n1..2\n# tests 2\n# pass  1\n# fail  1\n",
    { passed: 1, failed: 1, names: { passed: ["nothing"], failed: ["sums"], skipped: [] } },
  ],
  [
    "Bun",
    "test/add.test.ts:\nerror: expect(received).toBe(expected)\n(fail) add > adds [0.21ms]\n(pass) add > nothing\n(skip) later\n(todo) some\n\n 1 pass\n 1 skip\n 1 todo\n 1 fail\n",
    { names: { passed: ["add > nothing"], failed: ["add > adds"], skipped: ["later", "some"] } },
  ],
  [
    "Bun, where the code prints such a line",
    "(fail) is what this code prints\n(pass) a [0.1ms]\n\n 1 pass\n 0 fail\n",
    { names: { passed: ["a"], failed: [], skipped: [] } },
  ],
  [
    "Deno, without steps",
    "adds ... FAILED (1ms)\nsays ...\n------- output -------\nhello\n----- output end -----\nsays ... ok (0ms)\nnothing ...\n  inner ... ok (0ms)\nnothing ... ok (528µs)\nx ... ignored (0ms)\n\nFAILED | 2 passed (1 step) | 1 failed | 1 ignored (5ms)\n",
    { names: { passed: ["says", "nothing"], failed: ["adds"], skipped: ["x"] } },
  ],
  [
    "Playwright's list, where the last attempt counts",
    "  ✘  1 a.spec.js:2:30 › adds (11ms)\n  ✓  2 a.spec.js:2:30 › adds (retry #1) (9ms)\n  ✘  3 a.spec.js:5:1 › b\n  -  4 a.spec.js:7:1 › s\n\n  1 failed\n  1 flaky\n  1 skipped\n",
    {
      names: {
        passed: ["a.spec.js:2:30 › adds"],
        failed: ["a.spec.js:5:1 › b"],
        skipped: ["a.spec.js:7:1 › s"],
      },
    },
  ],
  [
    "Robot Framework, without suites",
    "====\nRb.A\n====\nAdds                 | FAIL |\n-1 != 3\n----\nNothing              | PASS |\n----\nRb.A                 | FAIL |\n2 tests, 1 passed, 1 failed\n====\nRb                   | FAIL |\n2 tests, 1 passed, 1 failed\n====\nOutput:  NONE\n",
    { passed: 1, failed: 1, names: { passed: ["Nothing"], failed: ["Adds"], skipped: [] } },
  ],
  [
    "go test -json, without subtests",
    '{"Time":"2026-01-01T00:00:00Z","Action":"fail","Package":"x","Test":"TestA/one","Elapsed":0}\n{"Time":"2026-01-01T00:00:00Z","Action":"fail","Package":"x","Test":"TestA","Elapsed":0}\n{"Time":"2026-01-01T00:00:00Z","Action":"pass","Package":"x","Test":"TestB","Elapsed":0}\n{"Time":"2026-01-01T00:00:00Z","Action":"skip","Package":"x","Test":"TestC","Elapsed":0}\n{"Time":"2026-01-01T00:00:00Z","Action":"fail","Package":"x","Elapsed":0.003}\n',
    { passed: 1, failed: 1, names: { passed: ["TestB"], failed: ["TestA"], skipped: ["TestC"] } },
  ],
  [
    "go test -json of a package that could not be built",
    '{"ImportPath":"x [x.test]","Action":"build-fail"}\n{"Time":"2026-01-01T00:00:00Z","Action":"fail","Package":"x","Elapsed":0,"FailedBuild":"x [x.test]"}\n',
    { passed: 0, failed: 0, incomplete: true },
  ],
])("names the tests of %s", (_tool, output, inventory) => {
  expect(readTests(output)).toMatchObject(inventory);
});

test("a report of gotestsum counts instead of its closing line, and a package that is not built has no name", () => {
  const output =
    "✖  x\n\n=== Failed\n=== FAIL: .  (0.00s)\nFAIL\tx [build failed]\n\nDONE 0 tests, 1 failure, 1 error in 0s\n";
  const red =
    '<testsuites><testsuite name="x"><testcase classname="" name="TestMain"><failure/></testcase></testsuite></testsuites>';
  const green =
    '<testsuites><testsuite name="x"><testcase classname="x" name="TestA"/></testsuite></testsuites>';
  const before = readTests(output, { gotestsum: red });
  const after = readTests("✓  x\n\nDONE 1 tests in 0.058s\n", { gotestsum: green });
  expect(before).toMatchObject({ runner: "gotestsum", failed: 1 });
  expect(after).toMatchObject({ passed: 1, names: { passed: ["x TestA"] } });
  expect(compareTests({ before: before as TestInventory, after, fixed: true })).not.toHaveProperty(
    "complaint",
  );
});

test.each([
  [
    "Playwright",
    "Running 3 tests using 1 worker\nF··\n\n  1 failed\n    a.spec.js:2:30 › 2 failed things\n  1 flaky\n    a.spec.js:3:1 › c\n  1 skipped\n  2 passed (4.7s)\n",
  ],
  ["AVA", "  2 tests passed\n  1 test failed\n  1 test skipped\n"],
])("a failure that %s counts is one, whatever lines follow", (_tool, output) => {
  const after = readTests(output);
  expect(after).toMatchObject({ failed: 1, failedAtLast: 1 });
  const before = { runner: "x", passed: 2, failed: 1, skipped: 1 };
  expect(compareTests({ before, after, fixed: true }).complaint).toBe("1 test failed");
});

describe("what a tool prints only of tests that failed does not count", () => {
  const unity = "a.c:2:test_b:FAIL: Expected 1 Was 2\n\n2 Tests 1 Failures 0 Ignored \nFAIL\n";

  test.each<[tool: string, redAndGreen: readonly string[], ran: number | undefined]>([
    [
      "Meson",
      [
        `1/1 calc FAIL 0.08s exit status 1\n>>> /b/t\n――――――――― ✀  ―――――――――\n${unity}―――――――――――――――――――――――――――――\n\nOk:                 0   \nFail:               1   \n`,
        "1/1 calc OK 0.01s\n\nOk:                 1   \nFail:               0   \n",
      ],
      1,
    ],
    [
      "Bazel",
      [
        `FAIL: //a:b (see /x/test.log)\n==================== Test output for //a:b:\n${unity}================================================================================\n//a:b FAILED in 0.1s\n\nExecuted 1 out of 1 test: 1 fails locally.\n`,
        "//a:b PASSED in 0.1s\n\nExecuted 1 out of 1 test: 1 test passes.\n",
      ],
      1,
    ],
    [
      "nextest",
      [
        "        FAIL [   0.004s] a adds\n\n--- STDOUT:              a adds ---\n\nrunning 1 test\ntest adds ... FAILED\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 1 filtered out; finished in 0.00s\n\n     Summary [   0.006s] 2 tests run: 1 passed, 1 failed, 0 skipped\n",
        "     Summary [   0.006s] 2 tests run: 2 passed, 0 skipped\n",
      ],
      2,
    ],
    [
      "Cabal",
      [
        "Running 1 test suites...\nTest suite t: RUNNING...\n1 out of 3 tests failed (0.00s)\nTest suite t: FAIL\n0 of 1 test suites (0 of 1 test cases) passed.\n",
        "Test suite t: RUNNING...\nTest suite t: PASS\n1 of 1 test suites (1 of 1 test cases) passed.\n",
      ],
      1,
    ],
    [
      "pre-commit",
      [
        `unit.....................................................Failed\n- hook id: unit\n- exit code: 1\n\n${unity}\nlint.....................................................Passed\n`,
        "unit.....................................................Passed\nlint.....................................................Passed\n",
      ],
      undefined,
    ],
    [
      "Pants",
      [
        "08:00:00.12 [ERROR] Completed: Run Pytest - a/test_a.py failed (exit code 1).\n=== 1 failed, 2 passed in 0.01s ===\n\n✕ a/test_a.py failed in 0.30s.\n",
        "✓ a/test_a.py succeeded in 0.30s.\n",
      ],
      undefined,
    ],
    [
      "automake, with VERBOSE=1",
      [
        `   a 0.1: ./test-suite.log\n========\n\n# TOTAL: 1\n# PASS:  0\n# FAIL:  1\n\nFAIL: t\n=======\n\n${unity}\n============\nTestsuite summary for a 0.1\n============\n# TOTAL: 1\n# PASS:  0\n# FAIL:  1\n============\n`,
        "Testsuite summary for a 0.1\n============\n# TOTAL: 1\n# PASS:  1\n# FAIL:  0\n============\n",
      ],
      1,
    ],
  ])("%s", (_tool, outputs, ran) => {
    for (const output of outputs) {
      const tests = readTests(output);
      expect(tests && tests.passed + tests.failed).toBe(ran);
    }
  });
});

test("Zig names its tests, and below each of them what it printed", () => {
  const output =
    "1/4 a.test.adds...expected 3, found -1\nFAIL (TestExpectedEqual)\n/zig/testing.zig:93:17: 0x124 in f (std.zig)\n2/4 a.test.adds nothing...some text\nOK\n3/4 a.test.later...SKIP\n4/4 a.test.x...OK\n2 passed; 1 skipped; 1 failed.\n";
  expect(readTests(output)).toMatchObject({
    passed: 2,
    names: {
      passed: ["a.test.adds nothing", "a.test.x"],
      failed: ["a.test.adds"],
      skipped: ["a.test.later"],
    },
  });
  expect(readTests("1/1 a.test.x...OK\nAll 1 tests passed.\n")?.names?.passed).toEqual(["a.test.x"]);
});
