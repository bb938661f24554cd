import { describe, expect, test } from "vitest";
import { holds, parseCondition } from "../../src/expressions/condition.ts";
import { type Scope, UnresolvedError } from "../../src/expressions/scope.ts";
import { scopeOf } from "./scope-of.ts";

const scope = scopeOf({
  outputs: {
    setup: "none",
    n: 7,
    flag: true,
    review: { verdict: "ship it", score: 8 },
    quoted: "a && b",
    files: "  5 files, 3 tests",
    share: "85%",
    part: "85/100",
    many: "1,234",
    day: "2026-11-28",
    parts: "1 234",
  },
  values: { target: "src", ARGUMENTS: "go" },
  names: { iteration: 3 },
});

function judge(source: string, where: Scope = scope): boolean {
  const parsed = parseCondition(source);
  if ("because" in parsed) throw new Error(parsed.because);
  return holds(parsed.condition, where);
}

describe("a condition", () => {
  test.each([
    ["$setup.output == 'none'", true],
    ["$setup.output != 'none'", false],
    ["$setup.output == none", true],
    ['$setup.output == "none"', true],
    ["$n.output == 7", true],
    ["$n.output == 7.0", false],
    ["$n.output=='7'&&$flag.output==true", true],
    ["$n.output > 6.5", true],
    ["$n.output <= '7'", true],
    ["$n.output < -1", false],
    ["$review.output.score >= 8", true],
    ["$review.verdict == 'ship it'", true],
    ["$INPUTS.target == 'src'", true],
    ["$ARGUMENTS == 'go'", true],
    ["$quoted.output == 'a && b'", true],
    ["$n.output == 1 && $n.output == 2 || $n.output == 7", true],
    ["$n.output == 7 || $n.output == 1 && $n.output == 2", true],
    ["  $n.output  ==  7  ", true],
    ["$files.output > 4", true],
    ["$files.output < '5.5'", true],
    ["$share.output >= '85%'", true],
    ["$part.output > 84", true],
  ])("%j compares as Archon does: %j", (source, value) => {
    expect(parseCondition(source)).toMatchObject({ condition: { kind: "comparisons" } });
    expect(judge(source)).toBe(value);
  });

  test.each([
    ["!($n.output == 7)", false],
    ["($n.output == 7 || $flag.output) && true", true],
    ["$n.output + 1 == 8", true],
    ["$flag.output", true],
    ["$review.verdict.contains('ship')", true],
    ["$review.verdict == $review.output.verdict", true],
    ["iteration > 2", true],
    ["!$n.output.contains('x')", true],
    ["$flag.output.startsWith('tr') && $n.output.matches('^7$')", true],
    ["$review.output.contains('ship it')", true],
  ])("%j is CEL where that grammar ends: %j", (source, value) => {
    expect(parseCondition(source)).toMatchObject({ condition: { kind: "cel" } });
    expect(judge(source)).toBe(value);
  });

  test("never looks at what cannot matter", () => {
    expect(judge("$n.output == 7 || $gone.output == 1")).toBe(true);
    expect(judge("$n.output == 8 && $gone.output == 1")).toBe(false);
  });

  test.each([
    "$gone.output == 1",
    "$setup.output > 3",
    "$many.output > 3",
    "$day.output > 3",
    "$parts.output > 3",
    "$n.output + 1",
    "$gone.output && true",
    "$review.n == 1",
  ])("%j cannot be said, with a sentence", (source) => {
    expect(() => judge(source)).toThrow(UnresolvedError);
  });

  test.each([
    ["$n.output = 5", 10],
    ["$n.output == ", 10],
    ["$n.output > 'x'", 9],
    ["$n.output == 7 || $n.output <= 1.x", 27],
    ["$n.output == 5 &&", 17],
    ["$n.output == 5 & $n.output == 6", 15],
    ["$n.output == 'open", 10],
    ["", 0],
  ])("%j is refused, near the place", (source, offset) => {
    expect(parseCondition(source)).toEqual({ because: expect.any(String), offset });
  });

  test("reports the positions of its references", () => {
    expect(parseCondition(" $a.output == 1 || $b.c > 2")).toMatchObject({
      places: [{ offset: 1 }, { offset: 19 }],
    });
  });

  test.each([
    ["iteration > 2 && outptu == 'x'", 17],
    ["$n.output == 5 && $n.output.contians('x')", 28],
    ["!iteration &", 11],
  ])("%j shows what CEL does not know at its position", (source, offset) => {
    expect(parseCondition(source, { names: ["iteration"] })).toMatchObject({ offset });
  });

  test("may use only the names that are known", () => {
    expect(parseCondition("itertion > 2", { names: ["iteration"] })).toMatchObject({
      because: expect.stringContaining('did you mean "iteration"?'),
    });
  });
});
