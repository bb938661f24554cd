import { expect, test } from "vitest";
import { isRunId, newRunId } from "../../../src/adapters/stores/run-id.ts";

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
