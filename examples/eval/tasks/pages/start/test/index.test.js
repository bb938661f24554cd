import assert from "node:assert/strict";
import { test } from "node:test";
import { pageCount, pageOf } from "../src/index.js";

test("no empty page follows a full last page", () => {
  assert.equal(pageCount([1, 2, 3, 4], 2), 2);
  assert.equal(pageCount([], 2), 0);
  assert.equal(pageCount([1, 2, 3], 2), 2);
});

test("the last page is short", () => assert.deepEqual(pageOf([1, 2, 3], 2, 2), [3]));
