import assert from "node:assert/strict";
import { test } from "node:test";
import { find } from "../src/find.js";

test("finds what is there", () => assert.equal(find([1, 2], 2), 2));
