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

test("other output keeps its last lines as they are", () => {
  expect(lastLines("a\nstack: x\n  at y\n---\n\n", 3)).toEqual(["stack: x", "  at y", "---"]);
});
