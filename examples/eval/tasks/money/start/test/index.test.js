import assert from "node:assert/strict";
import { test } from "node:test";
import { cents, split } from "../src/index.js";

test("no cent is lost to rounding", () => {
  for (const [text, expected] of [["19.99", 1999], ["0.29", 29], ["1.10", 110], ["7", 700]])
    assert.equal(cents(text), expected);
});

test("the parts add up", () => assert.deepEqual(split(100, 3), [34, 33, 33]));
