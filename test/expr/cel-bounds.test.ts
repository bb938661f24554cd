import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseBraces } from "../../src/expr/braces.ts";
import { checkExpression, evaluate, parseExpression } from "../../src/expr/cel.ts";
import { parseCondition } from "../../src/expr/condition.ts";
import { parseText } from "../../src/expr/dollar.ts";
import type { Scope } from "../../src/expr/scope.ts";

const numbers = Array.from({ length: 1000 }, (_, index) => index);
const scope: Scope = {
  names: { output: `${"a".repeat(40)}!`, numbers, big: "x".repeat(200_000) },
  text: () => "text",
  value: () => "text",
  environment: () => ({}),
};
const names = Object.keys(scope.names);

/** The value of an expression, or what is wrong with it, and how long that took in milliseconds. */
function measured(source: string) {
  const start = performance.now();
  const parsed = parseExpression(source, { names });
  const result = "because" in parsed ? parsed : evaluate(parsed.expression, scope);
  return { result, ms: performance.now() - start };
}

describe("no expression takes long", () => {
  test.each([
    [
      "a pattern that is slow where matching goes back",
      'output.matches("(a+)+$")',
      { ok: true, value: false },
    ],
    ["the same on a long text", 'big.matches("(x+x+)+y")', { ok: true, value: false }],
    ["loops in loops", "numbers.all(a, numbers.all(b, a + b >= 0))", { ok: false }],
    ["lists made of lists", "numbers.map(a, numbers.map(b, a * b)).size() > 3", { ok: false }],
    ["a long list made of a text", 'big.split("").map(x, x + big).size()', { ok: false }],
    ["a text that grows", 'big.replace("x", big).size()', { ok: false }],
    ["nesting", "(".repeat(4000), { because: expect.stringContaining("nested too deeply") }],
    ["a long sum", `1${"+1".repeat(2000)}`, { because: expect.stringContaining("nested too deeply") }],
    ["signs", `${"-".repeat(4000)}1`, {}],
  ])("%s", (_, source, result) => {
    const first = measured(source);
    expect(first.result).toMatchObject(result);
    // Machines with other work to do are slow: what matters is that nothing hangs.
    expect(first.ms).toBeLessThan(5000);
  });

  test("a loop over a thousand items is well within what it may take", () => {
    expect(measured("numbers.filter(x, x % 2 == 0).map(x, x * 2).size()").result).toEqual({
      ok: true,
      value: 500,
    });
  });

  test("what counts the steps of loops cannot be called", () => {
    expect(checkExpression("until_green_count_([1]) == [1]")?.because).toContain("unknown function");
  });
});

describe("what is wrong is shown where it stands", () => {
  test.each([
    ["a b", 2],
    ["output == outptu", 10],
    ["output.contans('x')", 7],
    ["'outptu' == outptu", 12],
    ["output == 'x' &&\n  outptu", 19],
    ["$some-node.output == outptu", 21],
    ["$a.output == 'b' c", 17],
  ])("%j", (source, offset) => {
    expect(parseExpression(source, { names })).toMatchObject({ offset });
  });
});

describe("whatever is written, it is read to its end", () => {
  const pieces = fc.constantFrom(
    ..."$ $a.output $INPUTS.x {{ }} {{a}} {{ a.b }} { } ( ) [ ] ' \" \\ == && || ! . , : ? + - * / in a 1 true \n".split(
      " ",
    ),
    " ",
  );
  const text = fc.array(pieces, { maxLength: 60 }).map((parts) => parts.join(""));

  test("as an expression or a condition, which is one or says why it is none", { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(text, (source) => {
        const { result, ms } = measured(source);
        expect("ok" in result || result.because !== "").toBe(true);
        expect(ms).toBeLessThan(5000);
        const parsed = parseCondition(source, { names });
        if ("because" in parsed && parsed.offset !== undefined)
          expect(parsed.offset).toBeLessThanOrEqual(source.length);
      }),
      { numRuns: 500 },
    );
  });

  test("as a text with names in braces or behind dollars, of which nothing is lost", () => {
    fc.assert(
      fc.property(text, (source) => {
        expect(parseBraces(source, () => undefined).join("")).toBe(source);
        const { text: parts, places } = parseText(source);
        const literal = parts.filter((part) => typeof part === "string").join("");
        expect(literal.length).toBeLessThanOrEqual(source.length);
        for (const { offset } of places) expect(source[offset]).toBe("$");
      }),
      { numRuns: 500 },
    );
  });
});
