import { expect, test } from "vitest";
import { promptForResult, resultComplaint, withResult } from "../../src/engine/nodes/structured-result.ts";
import type { Json } from "../../src/ports/json.ts";

const numbered = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
const { type: _, ...untyped } = numbered;

test.each<[string, { text: string; result?: Json }, Json | undefined, string | undefined]>([
  ["no schema", { text: "prose" }, undefined, undefined],
  ["a schema that is no object", { text: "prose" }, true, undefined],
  ["a result that matches", { text: "prose", result: { n: 1 } }, numbered, undefined],
  [
    "a result that does not, whatever the text",
    { text: '{"n": 1}', result: {} },
    numbered,
    "the result has no field n",
  ],
  ["JSON that matches", { text: '{"n": 1}' }, numbered, undefined],
  ["JSON, where only fields are named", { text: '{"n": 1}' }, untyped, undefined],
  ["JSON in a fence", { text: '```json\n{"n": 1}\n```' }, numbered, undefined],
  ["JSON that does not match", { text: "{}" }, numbered, "the result has no field n"],
  ["prose, where an object is asked for", { text: "prose" }, numbered, "the result is not of type object"],
  [
    "a result beside prose, where only fields are named",
    { text: "prose", result: { n: 1 } },
    untyped,
    undefined,
  ],
  ["prose, where only fields are named", { text: "prose" }, untyped, "the answer is not JSON"],
  ["prose, where only items are named", { text: "prose" }, { items: {} }, "the answer is not JSON"],
  ["prose, where a field is required", { text: "prose" }, { required: ["n"] }, "the answer is not JSON"],
  ["prose, where fields are described", { text: "prose" }, { properties: {} }, "the answer is not JSON"],
  ["prose, where a text is asked for", { text: "prose" }, { type: "string" }, undefined],
  ["prose, where anything may come", { text: "prose" }, {}, undefined],
])("%s: the complaint about an answer", (...[, answer, schema, complaint]) => {
  expect(resultComplaint(answer, schema)).toBe(complaint);
});

test("an answer that keeps its schema has its result, also if only the text says it", () => {
  expect(withResult({ text: '{"n": 1}' }, numbered)).toEqual({ text: '{"n": 1}', result: { n: 1 } });
  expect(withResult({ text: "prose", result: { n: 2 } }, numbered)).toEqual({
    text: "prose",
    result: { n: 2 },
  });
  expect(withResult({ text: "prose" }, { type: "string" })).toEqual({ text: "prose", result: "prose" });
  expect(withResult({ text: '{"n": 1}' }, undefined)).toEqual({ text: '{"n": 1}' });
});

test("an answer that violates its schema fails the node, with the reason", () => {
  expect(() => withResult({ text: "{}" }, numbered)).toThrow(
    expect.objectContaining({
      name: "EffectFailedError",
      reason: "node-failed",
      transient: false,
      message: "the agent's result does not match its schema: the result has no field n",
    }),
  );
});

test("the agent is asked for the same content in the right form", () => {
  expect(promptForResult("the answer is not JSON", { type: "object" })).toBe(
    `Your answer does not have the required form: the answer is not JSON.
Answer again with the same content as JSON that matches this schema, and nothing else:
{"type":"object"}`,
  );
});
