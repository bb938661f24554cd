import { expect, test } from "vitest";
import { nearest } from "../../src/expr/nearest.ts";

test.each([
  ["until_bsh", "until_bash"],
  ["promtp", "prompt"],
  ["MAX_ITERATIONS", "max_iterations"],
  ["dependson", "depends_on"],
  ["x", undefined],
  ["banana", undefined],
])("%j was meant to be %j", (word, meant) => {
  expect(nearest(word, ["until", "until_bash", "prompt", "max_iterations", "depends_on", "if"])).toBe(meant);
});
