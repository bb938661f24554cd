import assert from "node:assert/strict";
import { test } from "node:test";
import { monthNumber } from "../src/index.js";

test("months have numbers", () => assert.deepEqual(["January", "May", "x"].map(monthNumber), [1, 5, 0]));
