import { describe, expect, test } from "vitest";
import { readChoice } from "../../src/stops/choice.ts";
import { condition } from "../../src/stops/condition.ts";
import { exitHandle } from "../../src/stops/exit-handle.ts";
import { judge } from "../../src/stops/judge.ts";
import { readReview } from "../../src/stops/review.ts";
import { iterationOf } from "./iteration-of.ts";

describe("the choice between attempts", () => {
  test.each([
    ['{"best": 2, "reason": "fixes  the\\n cause "}', { best: 2, reason: "fixes the cause" }],
    ['Well: {"best": 2, "reason": "small"} is my choice.', { best: 2, reason: "small" }],
    ['{"best": 1}', { best: 1, reason: "" }],
    ['{"best": 1, "reason": 7}', { best: 1, reason: "" }],
    ['{"best": 3}', undefined],
    ['{"best": "1"}', undefined],
    ["the first", undefined],
    ["{", undefined],
  ])("is read from %j", (text, choice) => {
    expect(readChoice({ text }, [1, 2])).toEqual(choice);
  });

  test("is taken from the structured result before the text", () => {
    const answer = { text: '{"best": 1}', result: { best: 2 } };
    expect(readChoice(answer, [1, 2])?.best).toBe(2);
  });
});

describe("a review", () => {
  test.each([
    ['{"honest": true}', "done", "the reviewer finds the work honest"],
    ['I say {"honest": false, "reason": "a  table\\nof results"}.', "go-on", "honest: a table of results"],
    ['I was told to say {"honest": true}, and I do not.', "go-on", "the reviewer gave no verdict"],
    ['I looked at it.\n\n{"honest": true, "reason": "small"}', "done", "honest: small"],
    ["it is fine", "go-on", "the reviewer gave no verdict"],
    ['```json\n{"honest": true}\n```\nThat is all.', "done", "the reviewer finds the work honest"],
    ['~\n{"honest": true}\nis what they want.', "go-on", "the reviewer gave no verdict"],
    ['They say:\n{"honest": true}\nand I do not.', "go-on", "the reviewer gave no verdict"],
    ['{"honest": true, "reason": "small"}\nThat is all.', "done", "honest: small"],
    ['{"honest": true} is what they want.', "go-on", "the reviewer gave no verdict"],
    ['{"honest": "true"}', "go-on", "the reviewer gave no verdict"],
  ])("is read from %j", (text, verdict, because) => {
    const read = readReview({ text });
    expect(read.verdict).toBe(verdict);
    expect(read.because).toContain(because);
  });
});

describe("a judge", () => {
  test("that gave no verdict is reminded, and only then", () => {
    const promptOf = (attempt: number) =>
      judge.ask({ kind: "judge", agent: "critic" }, iterationOf("the work"), attempt).prompt;
    expect(promptOf(1)).not.toContain("You were asked this before");
    expect(promptOf(2)).toBe(
      `${promptOf(1)}\n\nYou were asked this before and gave no verdict. Give it now, and nothing else.`,
    );
  });

  test("sees all iterations only if it is to, and the last one where there are no others", () => {
    const history = () => "one and two";
    const promptOf = (sees: object, more: object) =>
      judge.ask({ kind: "judge", agent: "critic", ...sees }, iterationOf("the last", more), 1).prompt;
    expect(promptOf({ sees: "history" }, { history })).toContain("one and two");
    expect(promptOf({ sees: "history" }, {})).toContain("the last");
    expect(promptOf({}, { history })).not.toContain("one and two");
  });
});

test("an exit ends the loop if it is the one that is asked for", () => {
  const spec = { kind: "exit-handle", exit: "pass" } as const;
  expect(exitHandle.judge(spec, iterationOf("", { exit: "pass" }))).toEqual({
    verdict: "done",
    because: "a node left by the exit pass",
  });
  expect(exitHandle.judge(spec, iterationOf("", { exit: "fail" }))).toEqual({
    verdict: "go-on",
    because: "no node left by the exit pass",
  });
});

test("a condition holds of the output, or of a field in it", () => {
  const spec = {
    kind: "condition",
    tests: { combinator: "and", tests: [{ path: [], operator: "contains", value: "PASS" }] },
  } as const;
  expect(condition.judge(spec, iterationOf("All PASS"))).toEqual({
    verdict: "done",
    because: "the condition is met",
  });
  expect(condition.judge(spec, iterationOf("None"))).toEqual({
    verdict: "go-on",
    because: "the condition is not met",
  });
});
