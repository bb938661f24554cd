import assert from "node:assert/strict";
import { test } from "node:test";
import { join } from "../src/index.js";

test("an interval inside another does not shorten it", () => {
  assert.deepEqual(join([[1, 10], [2, 3], [4, 5]]), [[1, 10]]);
});

test("intervals that touch are merged, others are not", () => {
  assert.deepEqual(join([[5, 6], [1, 2], [2, 3]]), [[1, 3], [5, 6]]);
});
