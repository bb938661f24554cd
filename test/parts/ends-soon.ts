import { runInNewContext } from "node:vm";
import { expect } from "vitest";

/**
 * Asserts that `work` ends within a minute, and returns what it returns. No measure of speed: inputs are so large that
 * work which grows with their square would take far longer, and a busy machine makes no difference.
 */
export function endsSoon<T>(work: () => T): T {
  let result: T | undefined;
  const run = () => {
    result = runInNewContext("work()", { work }, { timeout: 60_000 });
  };
  expect(run).not.toThrow();
  return result as T;
}
