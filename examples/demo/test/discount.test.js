import assert from "node:assert/strict";
import { test } from "node:test";
import { discountPercent } from "../src/discount.js";

test("gives nothing on a few pieces", () => assert.equal(discountPercent(9), 0));

test("begins each step at its own number of pieces", () => {
  assert.deepEqual([10, 50, 100].map(discountPercent), [5, 10, 15]);
});

test("gives the highest step that was reached", () => assert.equal(discountPercent(250), 15));
