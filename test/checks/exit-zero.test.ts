import { expect, test } from "vitest";
import { compareTests } from "../../src/checks/inventory/compare.ts";
import { readTests } from "../../src/checks/inventory/read-tests.ts";

/** Of Vitest, which says only how many tests of a file failed. */
const output = (failed: number, passed: number) =>
  failed > 0
    ? ` ❯ a.test.js (${failed + passed} tests | ${failed} failed) 5ms\n\n      Tests  ${failed} failed | ${passed} passed (${failed + passed})\n`
    : ` ✓ a.test.js (${passed} tests) 5ms\n\n      Tests  ${passed} passed (${passed})\n`;

function complaint(text: string): string | undefined {
  const [before, after] = [readTests(output(2, 1)), readTests(text)];
  if (before === undefined) throw new Error("the output names no tests");
  return compareTests({ before, after, fixed: true }).complaint;
}

test("Vitest that fails some tests of a file is not green, though the check exits with 0", () => {
  expect(complaint(output(2, 1))).toBe("2 tests failed");
});

test("Vitest that fails, and passes when it is repeated, is green", () => {
  expect(complaint(output(2, 1) + output(0, 3))).toBeUndefined();
});
