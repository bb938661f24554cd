import assert from "node:assert/strict";
import { test } from "node:test";
import { inOrder } from "../src/index.js";

test("each name comes after its dependencies", () => {
  assert.deepEqual(inOrder({ c: ["a", "b"], b: ["a"], a: [] }), ["a", "b", "c"]);
});

test("a cycle throws an error that names it", () => {
  assert.throws(() => inOrder({ a: ["b"], b: ["c"], c: ["a"] }), /a cycle: a > b > c > a/);
  assert.throws(() => inOrder({ a: ["a"] }), /a cycle: a > a/);
});

test("an unknown name throws an error that names it", () => assert.throws(() => inOrder({ a: ["x"] }), /unknown: x/));
