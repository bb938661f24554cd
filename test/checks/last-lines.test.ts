import { expect, test } from "vitest";
import { lastLines } from "../../src/checks/last-lines.ts";

const tap = `TAP version 13
# Subtest: adds
not ok 1 - adds
  ---
  duration_ms: 1.518514
  location: 't.test.mjs:2:1'
  failureType: 'testCodeFailure'
  error: |-
    one and one

    2 !== 3
  code: 'ERR_ASSERTION'
  name: 'AssertionError'
  expected: 3
  actual: 2
  operator: '=='
  stack: |-
    TestContext.<anonymous> (t.test.mjs:2:29)
    Test.runInAsyncScope (node:async_hooks:206:9)
  ...
# Subtest: words
    # Subtest: shouts
    ok 1 - shouts
      ---
      duration_ms: 0.23
      ...
    1..1
ok 2 - words
  ---
  duration_ms: 0.231535
  ...
printed by a test
1..2
# tests 2
# pass 1
# fail 1
# cancelled 0
# duration_ms 552.369726
`;

test("the last lines of TAP are those about failing tests, without stacks", () => {
  expect(lastLines(tap, 20)).toEqual([
    "not ok 1 - adds",
    "  location: 't.test.mjs:2:1'",
    "  error: |-",
    "    one and one",
    "",
    "    2 !== 3",
    "  expected: 3",
    "  actual: 2",
    "  operator: '=='",
    "printed by a test",
    "# tests 2",
    "# pass 1",
    "# fail 1",
  ]);
});

test("the last lines begin with a line that is not blank", () => {
  expect(lastLines("\n \nno tests ran\n\nERROR\n", 5)).toEqual(["no tests ran", "", "ERROR"]);
});

test("other output keeps its last lines as they are", () => {
  expect(lastLines("a\nstack: x\n  at y\n---\n\n", 3)).toEqual(["stack: x", "  at y", "---"]);
});

test("the last lines leave out passing tests and frames of the runtime if tests failed", () => {
  const node = `✔ subtracts (0.5ms)
✖ adds (0.7ms)
ℹ tests 2
ℹ fail 1
ℹ todo 0
ℹ duration_ms 141.3

✖ failing tests:

test at sum.test.js:2:26
✖ adds (0.7ms)
  AssertionError [ERR_ASSERTION]: '1' == '2'
      at TestContext.<anonymous> (file:///p/sum.test.js:2:57)
      at Test.runInAsyncScope (node:async_hooks:227:14)
      at async Test.processPendingSubtests (node:internal/test_runner/test:974:7) {
    generatedMessage: true,
    code: 'ERR_ASSERTION',
    actual: '1',
    expected: '2',
    operator: '==',
    diff: 'simple'
  }
`;
  expect(lastLines(node, 20)).toEqual([
    "✖ adds (0.7ms)",
    "ℹ tests 2",
    "ℹ fail 1",
    "",
    "✖ failing tests:",
    "",
    "test at sum.test.js:2:26",
    "✖ adds (0.7ms)",
    "  AssertionError [ERR_ASSERTION]: '1' == '2'",
    "      at TestContext.<anonymous> (file:///p/sum.test.js:2:57)",
    "    actual: '1',",
    "    expected: '2',",
    "  }",
  ]);
  const go =
    "=== RUN   TestA\n--- PASS: TestA (0.00s)\n=== RUN   TestB\n    a_test.go:9: no\n--- FAIL: TestB (0.00s)\nFAIL\n";
  expect(lastLines(go, 20)).toEqual(["    a_test.go:9: no", "--- FAIL: TestB (0.00s)", "FAIL"]);
});
