import assert from "node:assert/strict";
import { test } from "node:test";
import { wrap } from "../src/index.js";

test("the space counts", () => {
  assert.deepEqual(wrap("aaa bbb ccc", 6), ["aaa", "bbb", "ccc"]);
  assert.deepEqual(wrap("aaa bbb ccc", 7), ["aaa bbb", "ccc"]);
});

test("a long word stands alone, and nothing has no lines", () => {
  assert.deepEqual(wrap("a bbbbbbbb c", 3), ["a", "bbbbbbbb", "c"]);
  assert.deepEqual(wrap(" ", 3), []);
});
