import { expect, test } from "vitest";
import { nearestWord } from "../../src/ports/nearest-word.ts";

test.each([
  ["until_bsh", "until_bash"],
  ["promtp", "prompt"],
  ["MAX_ITERATIONS", "max_iterations"],
  ["dependson", "depends_on"],
  ["x", undefined],
  ["banana", undefined],
])("%j was meant to be %j", (word, meant) => {
  expect(nearestWord(word, ["until", "until_bash", "prompt", "max_iterations", "depends_on", "if"])).toBe(
    meant,
  );
});
