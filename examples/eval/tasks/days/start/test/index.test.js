import assert from "node:assert/strict";
import { test } from "node:test";
import { addMonths, daysBetween } from "../src/index.js";

test("the day is limited to the last one of the month", () => {
  assert.equal(addMonths("2026-01-31", 1), "2026-02-28");
  assert.equal(addMonths("2028-01-31", 1), "2028-02-29");
  assert.equal(addMonths("2026-10-31", 4), "2027-02-28");
  assert.equal(addMonths("2026-03-15", -3), "2025-12-15");
});

test("days between dates", () => assert.equal(daysBetween("2026-03-28", "2026-03-30"), 2));
