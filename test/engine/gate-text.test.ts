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
    verdicts: ["no DONE yet", "2 tests still fail (exit 1)", "the expression is false"],
    checkVerdicts: ["2 tests still fail (exit 1)"],
    printed: "not ok 1 - adds\n",
    note: "A note.",
  });
  expect(question).toBe(
    "Go on?\nthe check failed twice\n\n2 tests still fail (exit 1)\n\nFailing tests:\n    mine\n\nno DONE yet\nthe expression is false\n\nA note.",
  );
});

const answers = (run: string) =>
  [
    `Run: ${run}`,
    `  until-green approve ${run} [text]       or comment: /workflow approve ${run} [text]`,
    `  until-green reject ${run} [reason]      or comment: /workflow reject ${run} [reason]`,
    `  until-green cancel ${run}               or comment: /workflow cancel ${run}`,
  ].join("\n");

test("a gate over changes shows them indented, each line cut to 500 characters, and the note below", () => {
  const patch = `\n+one\n-${"x".repeat(600)}\n\n`;
  const shown = `    +one\n    -${"x".repeat(499)}`;
  expect(gateText({ message: " Keep? \n", run: "fix-1", patch, note: "A note." })).toEqual({
    message: `Keep?\n\n${shown}\n\nA note.\n\n${answers("fix-1")}`,
    question: `Keep?\n\n${shown}\n\nA note.`,
  });
});

test("of a long output a gate shows the last 2000 characters, each line as a quotation", () => {
  const output = `${"a".repeat(10)}\n${"b".repeat(1_998)}\nc\n`;
  const shown = `… 11 characters before\n${"b".repeat(1_998)}\nc`;
  expect(gateText({ message: "Go on?", run: "fix-1", output })).toEqual({
    message: `Go on?\n\n> ${shown.replaceAll("\n", "\n> ")}\n\n${answers("fix-1")}`,
    question: `Go on?\n\n${shown}`,
  });
  const whole = "b".repeat(2_000);
  expect(gateText({ message: "Go on?", run: "fix-1", output: whole }).question).toBe(`Go on?\n\n${whole}`);
});

test("a gate shows the last twenty lines of a check that names no test, without colours", () => {
  const printed = Array.from({ length: 22 }, (_, at) => `line ${at + 1}`).join("\n");
  const { message } = gateText({
    message: "Go on?",
    run: "fix-1",
    printed: `\u001b[31m${printed}\u001b[0m\n`,
  });
  const lines = printed.split("\n").slice(-20);
  expect(message).toBe(
    `Go on?\n\nThe check's last lines:\n${lines.map((line) => `    ${line}`).join("\n")}\n\n${answers("fix-1")}`,
  );
});

test("a gate lists ten failing tests without counting more", () => {
  const names = Array.from({ length: 10 }, (_, at) => `t${at + 1}`);
  const printed = names.map((name, at) => `not ok ${at + 1} - ${name}\n`).join("");
  const { message } = gateText({ message: "Go on?", run: "fix-1", printed });
  const list = names.map((name) => `    ${name}`).join("\n");
  expect(message.split("\n\n")[1]).toBe(`Failing tests:\n${list}`);
});
