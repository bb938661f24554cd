import assert from "node:assert/strict";
import { test } from "node:test";
import { merge } from "../src/index.js";

test("the defaults are not changed", () => {
  const defaults = { a: { b: 1 } };
  assert.deepEqual(merge(defaults, { a: { c: 2 }, d: [1] }), { a: { b: 1, c: 2 }, d: [1] });
  assert.deepEqual(defaults, { a: { b: 1 } });
});

test("settings cannot change Object.prototype", () => {
  const merged = merge({}, JSON.parse('{"__proto__":{"admin":true}}'));
  assert.equal({}.admin, undefined);
  assert.equal(merged.admin, undefined);
});
