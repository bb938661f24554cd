import assert from "node:assert/strict";
import { test } from "node:test";
import { lowerBound } from "../src/index.js";

test("of equal numbers, the first is found", () => {
  assert.equal(lowerBound([1, 2, 2, 2, 3], 2), 1);
  assert.equal(lowerBound([1, 1], 1), 0);
});

test("values between, before and after the numbers", () => {
  assert.deepEqual([0, 4, 9].map((value) => lowerBound([1, 3, 5], value)), [0, 2, 3]);
});
