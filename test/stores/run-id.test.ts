import { expect, test } from "vitest";
import { isRunId, newRunId, placeOf, runAt } from "../../src/stores/run-id.ts";

test.each([
  ["fix-tests", /^fix-tests-[0-9a-f]{8}$/],
  ["Fix the Tests!", /^fix-the-tests-[0-9a-f]{8}$/],
  ["…", /^run-[0-9a-f]{8}$/],
  ["-", /^run-[0-9a-f]{8}$/],
  [`${"a".repeat(39)} b`, /^a{39}-[0-9a-f]{8}$/],
])("a run of %j has an id that reads like it", (name, id) => {
  expect(newRunId(name)).toMatch(id);
  expect(isRunId(newRunId(name))).toBe(true);
});

test("two runs of a workflow have two ids", () => {
  expect(newRunId("fix")).not.toBe(newRunId("fix"));
});

test.each([
  ["fan-out-7", "fan-out-7"],
  ["fan-out-7-item-3", "fan-out-7/items/3"],
  ["fan-out-7-item-9999", "fan-out-7/items/9999"],
  // An item of an item, and what only looks like one.
  ["fan-out-7-item-3-item-4", "fan-out-7-item-3/items/4"],
  ["fan-out-7-item-0", "fan-out-7-item-0"],
  ["fan-out-7-item-10000", "fan-out-7-item-10000"],
  ["short-item-1", "short-item-1"],
])("the run %s is at %s, and is found there", (run, place) => {
  expect(placeOf(run)).toBe(place);
  expect([runAt(`${place}/state`), runAt(`${place}/work`, "work")]).toEqual([run, run]);
});

test.each([
  "fan-out-7",
  "fan-out-7/work",
  "fan-out-7/items/0/state",
  "a/state",
  "short/items/1/state",
  "x/y/z/state",
])("%s is the record of no run", (name) => {
  expect(runAt(name)).toBeUndefined();
});
