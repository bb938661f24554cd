import { z } from "zod";

const count = z.int().nonnegative();
const names = z.array(z.string());

/** The tests a check ran, read from its output. */
export const testInventory = z.strictObject({
  /** The tools whose output it was read from, such as `vitest` or `node:test, pytest`. */
  runner: z.string(),
  passed: count,
  failed: count,
  skipped: count,
  /** Some tests could not even be loaded, and no number says how many. */
  incomplete: z.literal(true).exactOptional(),
  /** The names of all of them, where the output gives every name and they are not too many. */
  names: z.strictObject({ passed: names, failed: names, skipped: names }).exactOptional(),
  /** Some of several tools named all their tests, and some none. */
  partlyNamed: z.literal(true).exactOptional(),
  /** The files of tests that ran, where the output lists every file. */
  files: names.exactOptional(),
  /** Failures according to the last summary of each tool; absent if there are none, or no summary was read. */
  failedAtLast: count.exactOptional(),
});

export type TestInventory = z.infer<typeof testInventory>;

/** The names of the tests that failed; `undefined` if the output does not name all tests. */
export const failedNames = ({ names: all, partlyNamed }: TestInventory): readonly string[] | undefined =>
  partlyNamed ? undefined : all?.failed;
