import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);

// Outside Vitest nothing is loaded that a test would find loaded.
test.each([
  ["plan", /matrix of 100,000 items in 256 jobs +\| \d/],
  ["trace", /trace of a run with 500 iterations, start to end +\| \d/],
])("the part %s of the bench for many items prints its figures", async (part, row) => {
  const { stdout } = await run(process.execPath, ["scripts/bench-wide.ts", part], { timeout: 110_000 });
  expect(stdout).toMatch(row);
});
