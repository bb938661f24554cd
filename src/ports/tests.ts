import { z } from "zod";

const count = z.int().nonnegative();
const names = z.array(z.string());

/** The tests that a check ran, parsed from its output. */
export const testInventory = z.strictObject({
  /** The tools whose output was parsed, such as `vitest` or `node:test, pytest`. */
  runner: z.string(),
  passed: count,
  failed: count,
  skipped: count,
  /** True if some tests could not be loaded, and their number is unknown. */
  incomplete: z.literal(true).exactOptional(),
  /** The names of all tests, if the output contains every name and there are not too many. */
  names: z.strictObject({ passed: names, failed: names, skipped: names }).exactOptional(),
  /** True if only some of several tools named their tests. */
  partlyNamed: z.literal(true).exactOptional(),
  /** The files of tests that ran, if the output lists every file. */
  files: names.exactOptional(),
  /** Failures according to each tool's last summary; absent if there are none, or no summary was found. */
  failedAtLast: count.exactOptional(),
  /** True if the check may run another part of its tests each time. */
  partial: z.literal(true).exactOptional(),
  /** If the check repeats tests that failed: how many ran in its largest run. */
  largestRun: count.exactOptional(),
  /** True if the check passes although tests fail, because its author says so. */
  accepted: z.literal(true).exactOptional(),
  /** True if only a report in a common format shows them, and no program is known that runs tests. */
  unknown: z.literal(true).exactOptional(),
  /** True if there are more summaries than calls: a test may have run a test runner. */
  nested: z.literal(true).exactOptional(),
});

export type TestInventory = z.infer<typeof testInventory>;

/** The names of the tests that failed; `undefined` if the output does not name all tests. */
export const failedNames = ({ names: all, partlyNamed }: TestInventory): readonly string[] | undefined =>
  partlyNamed ? undefined : all?.failed;
