import { runInNewContext } from "node:vm";
import { expect } from "vitest";

/**
 * Asserts that `work` ends within a minute, and returns its result. Not a measure of speed: inputs are so large that
 * quadratic work would take far longer, even on a fast machine.
 */
export function endsSoon<T>(work: () => T): T {
  let result: T | undefined;
  const run = () => {
    result = runInNewContext("work()", { work }, { timeout: 60_000 });
  };
  expect(run).not.toThrow();
  return result as T;
}
