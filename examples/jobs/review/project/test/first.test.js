import assert from "node:assert/strict";
import { test } from "node:test";
import { clamp } from "../src/clamp.js";

test("a value between the bounds stays", () => assert.equal(clamp(2, 1, 3), 2));
