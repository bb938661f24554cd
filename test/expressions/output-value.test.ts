import { describe, expect, test } from "vitest";
import { jsonOrText, readField, readValue } from "../../src/expressions/output-value.ts";
import { UnresolvedError } from "../../src/expressions/scope.ts";

describe("a field of an output", () => {
  test.each([
    ['{"a":"x"}', "x"],
    ['{"a":7}', "7"],
    ['{"a":false}', "false"],
    ['{"a":null}', "null"],
    ['{"a":{"b":[1]}}', '{"b":[1]}'],
    ['```json\n{"a":"x"}\n```', "x"],
    ['  ~~~\n{"a":"x"}\n~~~\n', "x"],
    ['Here it is:\n```json\n{"a":"x"}\n```\nAnything else?', "x"],
    ['```sh\necho {}\n```\n  ```\n{"a":\n"x"}\n  ```\n```\n{"a":"y"}\n```', "x"],
  ])("of %j is %j", (text, value) => {
    expect(readField(text, undefined, "a")).toBe(value);
  });

  test("comes from the structured answer first, where what is missing or null is empty", () => {
    const result = { a: "x", n: null };
    expect(["a", "n", "gone", "toString"].map((field) => readField('{"a":"y"}', result, field))).toEqual([
      "x",
      "",
      "",
      "",
    ]);
    expect(readValue("", result, "gone")).toBeNull();
  });

  test.each([
    ["plain text", "is not a JSON object"],
    ["[1]", "is not a JSON object"],
    ['It is:\n```json\n{"coutn":1}', "is not a JSON object"],
    ['It is:\n```js\n{"coutn":1}\n```', "is not a JSON object"],
    ['```\nno\n```\n```\n{"coutn":1}\n```', "is not a JSON object"],
    ['{"count":1}', 'did you mean "count"?'],
    ['{"b":1,"c":2}', "it has b, c"],
    ["{}", "it has none"],
  ])("of %j is an error that helps", (text, message) => {
    expect(() => readField(text, undefined, "coutn")).toThrow(UnresolvedError);
    expect(() => readField(text, undefined, "coutn")).toThrow(message);
  });
});

describe("a text as JSON", () => {
  test.each([
    ["[1, 2]", [1, 2]],
    [" true ", true],
    ["8.5", 8.5],
    ["```\n[1]\n```", [1]],
    ["``` not closed", "``` not closed"],
    ["007", "007"],
    ["12e4567", "12e4567"],
    ["123456789012345678901", "123456789012345678901"],
    ["done\n", "done\n"],
    ["", ""],
  ])("%j is %j", (text, value) => {
    expect(jsonOrText(text)).toEqual(value);
  });
});
