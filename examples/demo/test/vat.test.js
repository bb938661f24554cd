import assert from "node:assert/strict";
import { test } from "node:test";
import { vatPercent } from "../src/vat.js";

test("takes less on books and food", () => assert.deepEqual(["book", "food"].map(vatPercent), [7, 7]));

test("takes nothing on exports", () => assert.equal(vatPercent("export"), 0));

test("takes the full rate on everything else", () => assert.equal(vatPercent("tools"), 19));
