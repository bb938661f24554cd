import type { TestInventory } from "../../ports/tests.ts";
import type { Counts, NamedTest } from "../tools/printed.ts";

export type Names = NonNullable<TestInventory["names"]>;

/** The names of the tests with each status. */
export const namesOf = (tests: readonly NamedTest[]): Names => ({
  passed: namesWith("passed", tests),
  failed: namesWith("failed", tests),
  skipped: namesWith("skipped", tests),
});

const namesWith = (wanted: NamedTest["status"], tests: readonly NamedTest[]) =>
  tests.filter(({ status }) => status === wanted).map(({ name }) => name);

/** The number of tests with each status. */
export function countOf(tests: readonly NamedTest[]): Counts {
  const { passed, failed, skipped } = namesOf(tests);
  return { passed: passed.length, failed: failed.length, skipped: skipped.length };
}

/** The suffix for the name of a module that could not be loaded, so that its tests have no names. */
export const uncollected = " (not collected)";

/** True for the name of a hook that failed after its tests had run: it is not a test. */
export const isAfterHook = (name: string) => afterHook.test(name);

const afterHook =
  /^"after (?:each|all)" hook\b|^tearDown(?:Class|Module) \(|^teardown_(?:file|suite) failed$/;

/** True for the name of a hook, module or program that is reported in place of tests that could not start. */
export const isStandIn = (name: string) => name.endsWith(uncollected) || standIn.test(name);

const standIn =
  /^"(?:before|after) (?:each|all)" hook\b|^(?:setUp|tearDown)(?:Class|Module) \(|\(unittest\.loader\._FailedTest\b|^(?:setup|teardown)_(?:file|suite) failed$|_NOT_BUILT$|^ ?TestMain$| (?:initializationError)?$/;
