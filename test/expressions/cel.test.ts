import { describe, expect, test } from "vitest";
import { checkExpression, evaluate, isTrue, parseExpression } from "../../src/expressions/cel.ts";
import { scopeOf } from "./scope-of.ts";

const scope = scopeOf({
  names: { output: "LGTM, ship it", iteration: 2, half: 1.5, history: ["a", "b"], big: Array(5000).fill(1) },
  outputs: { review: { score: 8, tags: ["x"] }, "list-all": ["p", "q"], count: 5 },
  values: { target: "src" },
});

function run(source: string) {
  const parsed = parseExpression(source);
  return "because" in parsed ? parsed : evaluate(parsed.expression, scope);
}

describe("an expression", () => {
  test.each([
    ["output.contains('LGTM')", true],
    ["output.matches('^LGTM')", true],
    ["iteration % 2 == 0 && iteration > 1", true],
    ["half * iteration", 3],
    ["iteration + half", 3.5],
    ["history.exists(h, h == 'b')", true],
    ["history.map(h, {'name': h})", [{ name: "a" }, { name: "b" }]],
    ["$review.output.score >= 8", true],
    ["$review.output.tags.size()", 1],
    ["$list-all.output.size() == 2", true],
    ["size($list-all.output) - $count.output", -3],
    ["$INPUTS.target == 'src'", true],
    ["'$review.output' + \"$x\" + r'\\'", "$review.output$x\\"],
    ["true || $gone.output == 1", true],
    ["$gone.output == 1 || true", true],
    ["null", null],
  ])("%j is %j", (source, value) => {
    expect(run(source)).toEqual({ ok: true, value });
  });

  test.each([
    ["$gone.output", "node gone has no output"],
    ["outptu", 'unknown name "outptu"; did you mean "output"?'],
    ["'a' > 1", "no matching overload"],
    ["1 / 0", "divide by zero"],
    ["1.0 / 0.0", "not a number"],
    ["duration('1h')", "not a value of JSON"],
    ["big.all(a, big.all(b, a == b))", "too long"],
  ])("%j fails with a sentence: %j", (source, because) => {
    expect(run(source)).toEqual({ ok: false, because: expect.stringContaining(because) });
  });

  test.each([
    ["1 +", "unexpected `+`"],
    ["", "is empty"],
    ["output.contain('x')", 'did you mean "contains"?'],
    ["nothing(1)", 'unknown function "nothing"'],
    ["(".repeat(2000), "nested too deeply"],
    [`'${"x".repeat(5000)}'`, "longer than 4096 bytes"],
    [`'${"é".repeat(2500)}'`, "longer than 4096 bytes"],
  ])("%.30j is refused at load: %j", (source, because) => {
    expect(checkExpression(source)?.because).toContain(because);
    expect(parseExpression(source)).toMatchObject({ because: expect.stringContaining(because) });
  });

  test("may use only the names that are known, and those it binds itself", () => {
    const names = ["history", "output"];
    expect(parseExpression("history.all(h, h != output) && $a.output == type(1)", { names })).toHaveProperty(
      "expression",
    );
    expect(parseExpression("histroy.size() > 1", { names })).toMatchObject({
      because: 'unknown name "histroy"; did you mean "history"?',
    });
  });

  test("reports the positions of its references", () => {
    const parsed = parseExpression("'$a.output' == $a.output || $b.output.size() > 1");
    expect(parsed).toMatchObject({
      places: [
        { offset: 15, reference: { ref: "output", node: "a" } },
        { offset: 28, reference: { ref: "output", node: "b" } },
      ],
    });
  });

  test("reaches nothing but its names", () => {
    for (const name of ["__proto__", "constructor", "toString"]) {
      expect(run(name)).toEqual({ ok: false, because: `unknown name "${name}"` });
    }
  });

  test("is judged in linear time by its patterns", () => {
    const slow = scopeOf({ names: { output: `${"a".repeat(200)}!` } });
    const result = evaluate({ source: "output.matches('(a+)+$')", variables: {} }, slow);
    expect(result).toEqual({ ok: true, value: false });
  });

  test("keeps giving right answers when many are in use", () => {
    for (let count = 0; count < 600; count++)
      expect(run(`${count} + 1`)).toEqual({ ok: true, value: count + 1 });
  });
});

test("what must be true or false is nothing else", () => {
  expect(isTrue({ ok: true, value: true })).toEqual({ ok: true, value: true });
  expect(isTrue({ ok: true, value: "yes" })).toEqual({ ok: false, because: '"yes" is not true or false' });
  expect(isTrue({ ok: false, because: "x" })).toEqual({ ok: false, because: "x" });
});
