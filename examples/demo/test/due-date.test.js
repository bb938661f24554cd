import assert from "node:assert/strict";
import { test } from "node:test";
import { addMonths } from "../src/due-date.js";

test("keeps the day of the month", () => assert.equal(addMonths("2024-03-15", 2), "2024-05-15"));

test("ends on a short month's last day", () => {
  assert.equal(addMonths("2024-01-31", 1), "2024-02-29");
  assert.equal(addMonths("2023-01-31", 1), "2023-02-28");
});

test("goes over the end of the year", () => assert.equal(addMonths("2024-11-15", 3), "2025-02-15"));
