import { expect, test } from "vitest";
import { compareTests } from "../../src/checks/inventory/compare.ts";
import type { TestInventory } from "../../src/ports/tests.ts";

const inventory = (
  passed: readonly string[],
  failed: readonly string[] = [],
  skipped: readonly string[] = [],
) => ({
  runner: "t",
  passed: passed.length,
  failed: failed.length,
  skipped: skipped.length,
  names: { passed: [...passed], failed: [...failed], skipped: [...skipped] },
});
const numbers = (passed: number, failed = 0, skipped = 0): TestInventory => ({
  runner: "t",
  passed,
  failed,
  skipped,
});

test.each<
  [string, { before: TestInventory; after: TestInventory | undefined; fixed?: boolean }, string | undefined]
>([
  ["the same tests", { before: inventory(["a"], ["b"]), after: inventory(["a", "b"]) }, undefined],
  [
    "more tests",
    { before: inventory(["a"], ["b"]), after: inventory(["a", "b", "c"]), fixed: true },
    undefined,
  ],
  [
    "tests without the names that they had",
    { before: inventory(["a"], ["b"]), after: numbers(2) },
    "the check named its tests before, now it gives only numbers",
  ],
  ["fewer tests", { before: numbers(40, 1), after: numbers(12) }, "41 tests ran before, 12 now"],
  [
    "no tests",
    { before: numbers(1, 0), after: undefined },
    "1 test ran before, the check no longer reports any",
  ],
  [
    "a skipped test",
    { before: inventory(["a"], ["b"]), after: inventory(["a", "c"], [], ["b"]) },
    "tests are skipped that ran before: b",
  ],
  ["a skipped test without names", { before: numbers(2, 1), after: numbers(3, 0, 1) }, undefined],
  [
    "a test that is gone",
    { before: inventory(["a"], ["b"]), after: inventory(["a", "a"]), fixed: true },
    "tests that ran before no longer run: b",
  ],
  ["a renamed test", { before: inventory(["a"], ["b"]), after: inventory(["a", "c"]) }, undefined],
  [
    "a renamed test where tests are protected",
    { before: inventory(["a"], ["b"]), after: inventory(["a", "c"]), fixed: true },
    "tests that ran before no longer run: b",
  ],
  [
    "a test that fails in a green check",
    { before: inventory(["a"], ["b"]), after: inventory(["a"], ["b"]) },
    "tests failed: b",
  ],
  [
    "a test that fails and passes when it is run again",
    { before: inventory(["a"], ["b"]), after: inventory(["a", "b"], ["b"]) },
    undefined,
  ],
  [
    "names with numbers that change",
    { before: inventory(["took 12 ms"]), after: inventory(["took 9 ms"]), fixed: true },
    undefined,
  ],
  [
    "a test that was skipped and runs",
    { before: inventory(["a"], [], ["b"]), after: inventory(["a", "b"]), fixed: true },
    undefined,
  ],
  [
    "a check that counts failures, but exits with 0",
    { before: numbers(1, 1), after: { ...numbers(1, 1), failedAtLast: 1 } },
    "1 test failed",
  ],
  [
    "a test where a hook failed",
    {
      before: inventory(["a"], ['"before each" hook for "b"', "add_NOT_BUILT", "t (not collected)"]),
      after: inventory(["a", "b", "c", "d"]),
      fixed: true,
    },
    undefined,
  ],
  [
    "hooks that failed after all tests had run",
    {
      before: inventory(
        ["a"],
        ["b", '"after all" hook for "b"', '"after each" hook in "c"', "teardown_file failed"],
      ),
      after: inventory(["a", "b"]),
      fixed: true,
    },
    undefined,
  ],
  [
    "a test less than ran when a hook failed",
    { before: inventory(["a"], ["b", '"after all" hook for "b"']), after: inventory(["a"]) },
    "2 tests ran before, 1 now",
  ],
  [
    "Jest, which has one more file, and gives no names any more",
    {
      before: { ...inventory(["a"], ["b"]), files: ["a.js"] },
      after: { ...numbers(3), files: ["a.js", "b.js"] },
      fixed: true,
    },
    undefined,
  ],
  [
    "a file that is gone",
    {
      before: { ...numbers(1, 1), files: ["a.js", "b.js"] },
      after: { ...numbers(9), files: ["a.js", "c.js"] },
      fixed: true,
    },
    "test files that ran before no longer run: b.js",
  ],
  [
    "files that are no longer listed",
    { before: { ...numbers(1, 1), files: ["a.js"] }, after: numbers(9) },
    "the check listed its test files before, now it does not",
  ],
  [
    "Gradle, which says nothing when green",
    { before: { ...numbers(2, 1), runner: "gradle" }, after: undefined },
    undefined,
  ],
  [
    "Gradle whose reports are gone",
    {
      before: { ...numbers(1, 0), runner: "gradle", names: { passed: ["a"], failed: [], skipped: [] } },
      after: undefined,
    },
    "1 test ran before, the check no longer reports any",
  ],
  [
    "another part of the tests, as the check says",
    { before: { ...inventory(["a", "c"], ["b"]), partial: true }, after: inventory(["b"]), fixed: true },
    undefined,
  ],
  [
    "no part of them",
    { before: { ...inventory(["a"], ["b"]), partial: true }, after: inventory([]), fixed: true },
    "2 tests ran before, the check no longer reports any",
  ],
  [
    "a part in which a test is skipped that ran",
    { before: { ...inventory(["a"], ["b"]), partial: true }, after: inventory(["a"], [], ["b"]) },
    "tests are skipped that ran before: b",
  ],
  [
    "tests that ran twice because they failed",
    {
      before: { ...inventory(["a", "a"], ["b", "b"]), largestRun: 2 },
      after: { ...inventory(["a", "b"]), largestRun: 2 },
      fixed: true,
    },
    undefined,
  ],
  [
    "a program that is not known to run tests, and counts less",
    { before: { ...numbers(1, 2), unknown: true }, after: { ...numbers(1), unknown: true }, fixed: true },
    undefined,
  ],
  [
    "a failing test that the check accepts, and that did not run before",
    {
      before: { ...inventory(["a"], ["b"]), accepted: true },
      after: { ...inventory(["a", "b"], ["c"]), accepted: true },
      fixed: true,
    },
    undefined,
  ],
  [
    "a failing test that the check accepts, and that failed before",
    {
      before: { ...inventory(["a"], ["b"]), accepted: true },
      after: { ...inventory(["a"], ["b"]), accepted: true },
      fixed: true,
    },
    "tests failed: b",
  ],
  [
    "a summary more than the check calls runners",
    { before: inventory(["a"], ["b"]), after: { ...inventory(["a", "b"]), nested: true }, fixed: true },
    "more summaries of tests are printed than before",
  ],
  [
    "another runner, where tests may change",
    { before: inventory(["a"], ["b"]), after: { ...numbers(2), runner: "other" } },
    undefined,
  ],
  [
    "modules of Rust that were split, with the tests in them",
    {
      before: { ...inventory(["math::tests::adds"]), runner: "cargo test" },
      after: { ...inventory(["math::add::tests::adds"]), runner: "cargo test" },
      fixed: true,
    },
    undefined,
  ],
  [
    "a name with the address of an object",
    {
      before: inventory(["f[<object at 0x7f1a>]"]),
      after: inventory(["f[<object at 0x7e2b>]"]),
      fixed: true,
    },
    undefined,
  ],
])("of %s", (_title, { before, after, fixed = false }, complaint) => {
  expect(compareTests({ before, after, fixed }).complaint).toBe(complaint);
});

test.each<[string, TestInventory, true | undefined]>([
  ["that failed has another name", inventory(["a", "c"]), true],
  ["that failed is gone, with nothing new", inventory(["a"]), undefined],
  ["that passed has another name", inventory(["c", "b"]), undefined],
])("a test %s", (_, after, isRenamed) => {
  const change = compareTests({ before: inventory(["a"], ["b"]), after, fixed: true });
  expect(change.isRenamed).toBe(isRenamed);
});
