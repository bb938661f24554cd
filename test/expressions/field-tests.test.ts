import { expect, test } from "vitest";
import { type Operator, operatorNames, testsHold } from "../../src/expressions/field-tests.ts";
import { patternFault, searches } from "../../src/expressions/pattern.ts";
import type { Json } from "../../src/ports/json.ts";

const holds = (output: string, [path, operator, value = null]: readonly [string, Operator, Json?]) =>
  testsHold({ combinator: "and", tests: [{ path: path.split("."), operator, value }] }, output);

const data = JSON.stringify({
  text: "Hello",
  empty: "",
  nothing: null,
  yes: true,
  eight: 8,
  digits: " 8.50 ",
  list: [1, "a", null],
  deep: { down: "here" },
});

test.each<[string, Operator, Json, boolean]>([
  ["text", "equals", "Hello", true],
  ["text", "equals", "hello", false],
  ["nothing", "equals", "None", false],
  ["gone", "equals", "", false],
  ["yes", "equals", true, true],
  ["yes", "equals", "True", true],
  ["yes", "equals", "true", false],
  ["eight", "equals", "8", true],
  ["list", "equals", "[1, 'a', None]", true],
  ["deep", "contains", "'down': 'here'", true],
  ["deep.down", "equals", "here", true],
  ["deep.down.further", "equals", "here", false],
  ["text", "not_equals", "Hello", false],
  ["nothing", "not_equals", "None", true],
  ["gone", "not_equals", "x", true],
  ["text", "contains", "ell", true],
  ["nothing", "contains", "", false],
  ["text", "not_contains", "ell", false],
  ["nothing", "not_contains", "x", true],
  ["text", "starts_with", "He", true],
  ["text", "ends_with", "lo", true],
  ["nothing", "starts_with", "", false],
  ["text", "regex", "l{2}", true],
  ["text", "regex", "^ello", false],
  ["nothing", "regex", ".*", false],
  ["empty", "is_empty", null, true],
  ["nothing", "is_empty", null, true],
  ["gone", "is_empty", null, true],
  ["text", "is_empty", null, false],
  ["eight", "not_empty", null, true],
  ["empty", "not_empty", null, false],
  ["eight", "eq", "8.0", true],
  ["digits", "eq", 8.5, true],
  ["yes", "eq", 1, true],
  ["text", "eq", "Hello", false],
  ["eight", "neq", 9, true],
  ["text", "neq", 9, false],
  ["nothing", "neq", 9, false],
  ["eight", "gt", 7, true],
  ["eight", "gt", 8, false],
  ["eight", "gte", "8", true],
  ["eight", "lt", 8.1, true],
  ["eight", "lte", 7, false],
  ["list", "lte", 7, false],
  ["nothing", "exists", null, true],
  ["gone", "exists", null, false],
  ["gone", "not_exists", null, true],
  ["text", "not_exists", null, false],
])("%s %s %j: %s", (path, operator, ...[value, expected]) => {
  expect(holds(data, [path, operator, value])).toBe(expected);
});

test("of an output that is no object the path says nothing: the whole of it is looked at", () => {
  expect(holds("all is well", ["any.thing", "contains", "well"])).toBe(true);
  expect(holds("9", ["score", "gte", 8])).toBe(true);
  expect(holds("[1, 2]", ["x", "equals", "[1, 2]"])).toBe(true);
  expect(holds("text", ["x", "exists"])).toBe(false);
  expect(holds("text", ["x", "not_exists"])).toBe(true);
});

test("an and requires all, an or one", () => {
  const tests = [
    { path: ["eight"], operator: "gt", value: 1 },
    { path: ["eight"], operator: "gt", value: 100 },
  ] as const;
  expect(testsHold({ combinator: "and", tests }, data)).toBe(false);
  expect(testsHold({ combinator: "or", tests }, data)).toBe(true);
});

test("there are all the operators, and no others", () => {
  expect([...operatorNames].sort()).toEqual(
    "contains ends_with eq equals exists gt gte is_empty lt lte neq not_contains not_empty not_equals not_exists regex starts_with".split(
      " ",
    ),
  );
});

test.each([
  ["(?i)hello", "Say HELLO", true],
  ["(?P<a>x)(?P=a)", "xx", true],
  ["\\Aab\\Z", "ab", true],
  ["\\Aab", "xab", false],
  ["(?s)a.b", "a\nb", true],
  ["(", "(", false],
])("the pattern %s in %j: %s", (pattern, text, expected) => {
  expect(searches(pattern, text)).toBe(expected);
});

test.each([
  ["(a+)+", true],
  ["((a|b*)c)*", true],
  ["(?:x{2,}y)+", true],
  ["(", true],
  ["(ab)+c*", false],
  ["[(+]+", false],
  ["\\(a+\\)+", false],
  ["(a+)b", false],
])("the pattern %s is refused: %s", (pattern, refused) => {
  expect(patternFault(pattern) !== undefined).toBe(refused);
});
