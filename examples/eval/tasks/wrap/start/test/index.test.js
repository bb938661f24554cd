import assert from "node:assert/strict";
import { test } from "node:test";
import { wrap } from "../src/index.js";

test("spaces count towards the length", () => {
  assert.deepEqual(wrap("aaa bbb ccc", 6), ["aaa", "bbb", "ccc"]);
  assert.deepEqual(wrap("aaa bbb ccc", 7), ["aaa bbb", "ccc"]);
});

test("a long word gets its own line, and an empty text has no lines", () => {
  assert.deepEqual(wrap("a bbbbbbbb c", 3), ["a", "bbbbbbbb", "c"]);
  assert.deepEqual(wrap(" ", 3), []);
});
