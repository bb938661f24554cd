import { expect, test } from "vitest";
import { nearestWord } from "../../src/ports/nearest-word.ts";

test.each([
  ["clod", "claude"],
  ["gem", "gemini"],
  ["pie", "pi"],
  ["cat", undefined],
  ["sonnet", undefined],
])("the agent %j was meant to be %j", (word, meant) => {
  expect(nearestWord(word, ["claude", "codex", "gemini", "qwen", "pi", "api"])).toBe(meant);
});

test.each([
  ["until_bsh", "until_bash"],
  ["promtp", "prompt"],
  ["MAX_ITERATIONS", "max_iterations"],
  ["dependson", "depends_on"],
  ["promt_text", undefined],
  ["prom", "prompt"],
  ["max_iter", "max_iterations"],
  ["x", undefined],
  ["banana", undefined],
])("%j was meant to be %j", (word, meant) => {
  expect(nearestWord(word, ["until", "until_bash", "prompt", "max_iterations", "depends_on", "if"])).toBe(
    meant,
  );
});
