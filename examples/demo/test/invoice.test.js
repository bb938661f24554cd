import assert from "node:assert/strict";
import { test } from "node:test";
import { total } from "../src/invoice.js";

test("adds up what has no discount", () => {
  assert.deepEqual(total([{ price: "8.00", pieces: 2, category: "food" }]), { net: 1600, vat: 112, gross: 1712 });
});
