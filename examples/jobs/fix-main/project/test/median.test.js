import assert from "node:assert/strict";
import { test } from "node:test";
import { median } from "../src/median.js";

test("numbers are ordered by value", () => assert.equal(median([10, 9, 1]), 9));
test("of two middle ones it is the mean", () => assert.equal(median([1, 2, 3, 4]), 2.5));
