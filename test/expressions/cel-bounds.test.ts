import { describe, expect, test } from "vitest";
import { parseBraces } from "../../src/expressions/brace-template.ts";
import { checkExpression, evaluate, parseExpression } from "../../src/expressions/cel.ts";
import { parseCondition } from "../../src/expressions/condition.ts";
import { parseText } from "../../src/expressions/dollar-template.ts";
import type { Scope } from "../../src/expressions/scope.ts";
import { endsSoon } from "../parts/ends-soon.ts";
import { fc } from "../parts/random.ts";

const numbers = Array.from({ length: 1000 }, (_, index) => index);
const scope: Scope = {
  names: {
    output: `${"a".repeat(40)}!`,
    numbers,
    thousands: Array.from({ length: 5000 }, (_, index) => index),
    big: "x".repeat(200_000),
    mixed: "a b\n".repeat(1000),
  },
  text: () => "text",
  value: () => "text",
  environment: () => ({}),
};
const names = Object.keys(scope.names);

/** The value of an expression, or what is wrong with it. */
const resultOf = (source: string) =>
  endsSoon(() => {
    const parsed = parseExpression(source, { names });
    return "because" in parsed ? parsed : evaluate(parsed.expression, scope);
  });

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
    ["a text made small for each item", "numbers.map(a, big.lowerAscii().size()).size()", { ok: false }],
    ["a text split for each item", "numbers.map(a, big.split(x)).size()".replace("x", "''"), { ok: false }],
    ["a text shown for each item", "numbers.map(a, '%s'.format([big])).size()", { ok: false }],
    ["a text quoted for each item", "numbers.map(a, strings.quote(big)).size()", { ok: false }],
    ["bytes for each item", "numbers.map(a, bytes(big)).size()", { ok: false }],
    ["a search for a text half as long", "big.lastIndexOf(big.substring(100000) + 'y')", { ok: false }],
    ["a search for each item", "numbers.map(a, big.indexOf('xxxxxxxxxxxxxxxxxxxy')).size()", { ok: false }],
    ["many replacements", "big.replace('x', 'yyyyyyyyyyyyyyyyyyyyyyyy').size()", { ok: false }],
    ["a text doubled again and again", `[big]${".map(a, a + a)".repeat(30)}.size()`, { ok: false }],
    ["a list doubled again and again", `[numbers]${".map(a, a + a)".repeat(30)}[0]`, { ok: false }],
    ["lists in lists in lists", `[1]${".map(a, [a, a, a, a, a, a, a, a, a, a])".repeat(30)}`, { ok: false }],
    ["a search through all items for each", "numbers.filter(a, -1 in numbers).size()", { ok: false }],
    ["all items compared for each", "numbers.filter(a, numbers == numbers).size()", { ok: false }],
    ["a long body for each item", `numbers.all(a, ${"a >= 0 && ".repeat(150)}true)`, { ok: false }],
    ["times for each item", "numbers.all(a, duration('1h') > duration('1s'))", { ok: true, value: true }],
    ["a pattern that takes anything often", `big.matches('a${".".repeat(30)}[c-d]')`, { ok: false }],
    ["a pattern repeated by numbers", "big.matches('([a-z]|b){1,99}$')", { ok: false }],
    ["a pattern too large", `output.matches('${"[a-z]{1,999}".repeat(30)}')`, { ok: false }],
    ["nesting", "(".repeat(4000), { because: expect.stringContaining("nested too deeply") }],
    ["a long sum", `1${"+1".repeat(2000)}`, { because: expect.stringContaining("nested too deeply") }],
    ["signs", `${"-".repeat(4000)}1`, {}],
  ])("%s", (_, source, result) => {
    expect(resultOf(source)).toMatchObject(result);
  });

  test("a loop over a thousand items is well within what it may take", () => {
    expect(resultOf("numbers.filter(x, x % 2 == 0).map(x, x * 2).size()")).toEqual({
      ok: true,
      value: 500,
    });
  });

  test.each([
    "thousands.map(a, a).map(b, b).size() == 5000",
    "thousands.filter(a, a > 2).filter(a, a > 3)[4995] == 4999",
    "thousands.map(a, [a, a]).all(p, p[0] == p[1])",
    "big.contains('y') || big.matches('y$') || big.lowerAscii().endsWith('x')",
    "big.matches('(?i)all tests (pass|green)') == false && big.matches('error|fatal') == false",
    "mixed.replace('a', 'b').split('b').size() == 2001 && mixed.upperAscii().startsWith('A ')",
  ])("what people write is well within: %s", (source) => {
    expect(resultOf(source)).toEqual({ ok: true, value: true });
  });

  test.each([
    ["'a.a.a'.replace('.', '-')", "a-a-a"],
    ["'a.a.a'.replace('.', '-', 1)", "a-a.a"],
    ["'aaa'.replace('a', 'aa', -1)", "aaaaaa"],
    ["'a'.replace('a', '$&')", "$&"],
    ["'abc'.replace('x', 'y', 0)", "abc"],
    ["'ÄbC'.lowerAscii() + 'äBc'.upperAscii()", "ÄbcäBC"],
    [
      "[1, 2, 3].map(a, a > 1, [a, a])",
      [
        [2, 2],
        [3, 3],
      ],
    ],
    [
      "[1, 2].map(a, [3, 4].map(b, a * b))",
      [
        [3, 4],
        [6, 8],
      ],
    ],
    ["([1] + [2].map(a, a)) + [3]", [1, 2, 3]],
  ])("%s is %j", (source, value) => {
    expect(resultOf(source)).toEqual({ ok: true, value });
  });

  test.each(["until_green_count_([1], 1) == [1]", "until_green_append_([1], [1]) == [1]"])(
    "what loops do for themselves cannot be called: %s",
    (source) => {
      expect(checkExpression(source)?.because).toContain("unknown function");
    },
  );
});

describe("an error is shown at its position", () => {
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
        const result = resultOf(source);
        expect("ok" in result || result.because !== "").toBe(true);
        const parsed = parseCondition(source, { names });
        if ("because" in parsed && parsed.offset !== undefined)
          expect(parsed.offset).toBeLessThanOrEqual(source.length);
      }),
      { numRuns: 500 },
    );
  });

  test("as a text with names in braces or behind dollars, without losing any", () => {
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
