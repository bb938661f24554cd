import { describe, expect, test } from "vitest";
import { formatDuration, parseDuration } from "../../src/expressions/duration.ts";

describe("a duration", () => {
  test.each([
    [1500, 1500],
    ["1500", 1500],
    ["500ms", 500],
    ["10s", 10_000],
    ["10m", 600_000],
    ["1h30m", 5_400_000],
    ["1.5h", 5_400_000],
    ["2d", 172_800_000],
    [" 3s ", 3000],
    [0, 0],
  ])("%j is %j milliseconds", (value, ms) => {
    expect(parseDuration(value)).toBe(ms);
  });

  test.each([
    -1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    "",
    "abc",
    "10 minutes",
    "m",
    "-5s",
    "1e3",
    "10m!",
    "9".repeat(30),
  ])("%j is none", (value) => {
    expect(parseDuration(value)).toBeUndefined();
  });

  test.each([
    [250, "250ms"],
    [1500, "1.5s"],
    [600_000, "10m"],
    [5_400_000, "1h30m"],
    [90_061_000, "1d1h1m1s"],
  ])("of %j milliseconds is written %j", (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});
