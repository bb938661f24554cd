import { expect, test } from "vitest";
import { parseBraces } from "../../src/expressions/brace-template.ts";
import type { Text } from "../../src/expressions/template.ts";

const value = (name: string) => ({ ref: "value", name }) as const;

const cases: readonly (readonly [source: string, text: Text])[] = [
  ["", []],
  ["plain", ["plain"]],
  ["{{a}}", [value("a")]],
  ["x {{ a }} y {{\tb.c\n}}", ["x ", value("a"), " y ", value("b.c")]],
  ["{{nobody}} {{a}}", ["{{nobody}} ", value("a")]],
  ["{{literal}}!", ["{{a}}!"]],
  ["{{}} {{ }} {a} {{a} {%a%}", ["{{}} {{ }} {a} {{a} {%a%}"]],
  ["{{{a}}}", ["{", value("a"), "}"]],
];

test.each(cases)("%j", (source, text) => {
  const known = (name: string) => {
    if (name === "literal") return "{{a}}";
    return name === "nobody" ? undefined : value(name);
  };
  expect(parseBraces(source, known)).toEqual(text);
});

test("a long text of braces takes no long time", () => {
  const source = "{{".repeat(200_000);
  expect(parseBraces(source, () => "x")).toEqual([source]);
});
