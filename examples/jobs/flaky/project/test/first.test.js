import assert from "node:assert/strict";
import { test } from "node:test";
import { isFirst } from "../src/first.js";

test("the first call is the first", () => assert.equal(isFirst(), true));
test("numbers are numbers", () => assert.equal(1 + 1, 2));
