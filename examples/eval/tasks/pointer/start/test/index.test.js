import assert from "node:assert/strict";
import { test } from "node:test";
import { at } from "../src/index.js";

test("escapes are decoded in the right order", () => {
  assert.equal(at({ "~1": "tilde one", "/": "slash" }, "/~01"), "tilde one");
  assert.equal(at({ "a/b": 1 }, "/a~1b"), 1);
});

test("a missing value is undefined", () => {
  assert.equal(at({ a: [1] }, "/a/1"), undefined);
  assert.equal(at({}, "/toString"), undefined);
  assert.deepEqual(at([1], ""), [1]);
});
