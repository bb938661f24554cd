import { expect, test } from "vitest";
import type { Json } from "../../src/ports/json.ts";
import { complaintOf } from "../../src/ports/json-schema.ts";

const field = (schema: Json): Json => ({
  type: "object",
  properties: { a: schema },
  required: ["a"],
  additionalProperties: false,
});

test.each<[Json, Json, string]>([
  [field({ type: "string" }), { a: 1 }, "the result.a is not of type string"],
  [field({ type: ["string", "null"] }), { a: 1 }, "the result.a is not of type string or null"],
  [field({ type: "integer" }), { a: 1.5 }, "the result.a is not of type integer"],
  [field({}), {}, "the result has no field a"],
  [field({}), { a: 1, b: 2 }, "the result.b is not allowed"],
  [field({ enum: ["bug", "feature"] }), { a: "Bug" }, 'the result.a is none of "bug", "feature"'],
  [field({ const: { x: [1] } }), { a: { x: [2] } }, 'the result.a is not {"x":[1]}'],
  [field({ minimum: 1 }), { a: 0 }, "the result.a is less than 1"],
  [field({ exclusiveMaximum: 1 }), { a: 1 }, "the result.a is not under 1"],
  [field({ minLength: 2 }), { a: "😀" }, "the result.a is less than 2"],
  [field({ maxItems: 1 }), { a: [1, 2] }, "the result.a is more than 1"],
  [field({ items: { type: "string" } }), { a: ["x", 2] }, "the result.a[1] is not of type string"],
  [field({ anyOf: [{ type: "string" }, { type: "null" }] }), { a: 1 }, "the result.a is not of type string"],
  [field({ allOf: [{ minimum: 1 }, { maximum: 2 }] }), { a: 3 }, "the result.a is more than 2"],
  [{ additionalProperties: { type: "string" } }, { a: 1 }, "the result.a is not of type string"],
])("%j refuses %j", (schema, value, because) => {
  expect(complaintOf(value, schema)).toBe(because);
});

test.each<[Json, Json]>([
  [field({ enum: ["bug", { x: 1 }] }), { a: { x: 1 } }],
  [field({ const: [1, "a", null] }), { a: [1, "a", null] }],
  [field({ type: ["string", "null"], minLength: 1 }), { a: null }],
  [field({ oneOf: [{ type: "string" }, { type: "integer" }] }), { a: 2 }],
  [{ properties: { a: true }, additionalProperties: false, patternProperties: { "^x": {} } }, { x1: 1 }],
  [{ type: "made-up", format: "email", pattern: "^(a+)+$" }, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"],
])("%j takes %j", (schema, value) => {
  expect(complaintOf(value, schema)).toBeUndefined();
});
