import { expect, test } from "vitest";
import { gateText } from "../../src/engine/gate-text.ts";

const tap = `TAP version 13
# Subtest: adds
not ok 1 - adds
  ---
  duration_ms: 1.5
  failureType: 'testCodeFailure'
  error: '2 !== 3'
  code: 'ERR_ASSERTION'
  stack: |-
    Test.run (node:internal/test_runner/test:1402:25)
  ...
# tests 1
# fail 1
# todo 0
`;

test("a gate names the failing tests with their messages, above the check's last lines", () => {
  const { message: text } = gateText({
    message: "Go on?",
    run: "fix-1",
    output: "I tried.",
    verdicts: ["1 test still fails (exit 1)"],
    printed: tap,
  });
  expect(text.slice(0, text.indexOf("\n\nRun: fix-1\n"))).toBe(
    `Go on?

> I tried.

1 test still fails (exit 1)

Failing tests:
    adds: 2 !== 3

The check's last lines:
    not ok 1 - adds
      error: '2 !== 3'
    # tests 1
    # fail 1`,
  );
});

test("a gate lists at most ten failing tests", () => {
  const printed = Array.from({ length: 14 }, (_, at) => `not ok ${at + 1} - t${at + 1}\n`).join("");
  const { message: text } = gateText({ message: "Go on?", run: "fix-1", printed });
  expect(text).toContain("    t10\n    … 4 more\n\nThe check's last lines:\n    not ok 1 - t1\n");
});

test("a gate of a check that printed nothing, or that passed, has no last lines", () => {
  const { message: text } = gateText({
    message: "Go on?",
    run: "fix-1",
    verdicts: ["the check failed (exit 1)"],
    printed: "\n",
  });
  expect(text).toMatch(/^Go on\?\n\nthe check failed \(exit 1\)\n\nRun: fix-1\n/);
});

test("the question has neither the check's result nor the commands, and keeps text that only looks like them", () => {
  const { question } = gateText({
    message: "Go on?\nthe check failed twice",
    run: "fix-1",
    output: "2 tests still fail (exit 1)\n\nFailing tests:\n    mine",
    verdicts: ["no DONE yet", "2 tests still fail (exit 1)"],
    checkVerdicts: ["2 tests still fail (exit 1)"],
    printed: "not ok 1 - adds\n",
    note: "A note.",
  });
  expect(question).toBe(
    "Go on?\nthe check failed twice\n\n2 tests still fail (exit 1)\n\nFailing tests:\n    mine\n\nno DONE yet\n\nA note.",
  );
});
