import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);

// Outside Vitest nothing is loaded that a test would find loaded.
test("a part of the bench for many items prints its figures", async () => {
  const { stdout } = await run(process.execPath, ["scripts/bench-wide.ts", "plan"], { timeout: 110_000 });
  expect(stdout).toMatch(/matrix of 100,000 items in 256 jobs +\| \d/);
});
