import { expect, test } from "vitest";
import {
  changes,
  collapsible,
  count,
  duration,
  money,
  reasonWords,
  shortened,
  tokens,
  truncate,
} from "../../src/status/format.ts";

const none = { input_tokens: 0, output_tokens: 0, cost_usd: 0 };

test.each([
  [0, "0.0 s"],
  [412, "0.4 s"],
  [9_999, "10 s"],
  [59_400, "59 s"],
  [59_600, "1 m 0 s"],
  [252_000, "4 m 12 s"],
  [7_500_000, "2 h 5 m"],
  [Number.NaN, "?"],
])("says %d milliseconds as %s", (ms, text) => expect(duration(ms)).toBe(text));

test.each([
  [0, ""],
  [950, "950"],
  [12_345, "12.3k"],
  [999_949, "999.9k"],
  [999_999, "1.0M"],
  [2_100_000, "2.1M"],
])("says %d tokens as %s", (all, text) => expect(tokens({ ...none, input_tokens: all })).toBe(text));

test.each([
  [0, ""],
  [0.0012, "$0.0012"],
  [0.42, "$0.42"],
  [12.5, "$12.50"],
])("says %d dollars as %s", (usd, text) => expect(money({ ...none, cost_usd: usd })).toBe(text));

test("says what changed", () => {
  const diff = { files: 1, added: 3, removed: 0, paths: ["a"] };
  expect([changes(undefined), changes({ ...diff, files: 0 }), changes(diff)]).toEqual([
    "",
    "nothing",
    "1 file +3 −0",
  ]);
});

test("says how many there are", () =>
  expect([count(1, "file"), count(1200, "file")]).toEqual(["1 file", "1,200 files"]));

test.each([10, 100, 250, 5_000])("cuts the middle out to %d characters", (most) => {
  const text = truncate(`<${"x".repeat(10_000)}>`, most);
  expect(text).toHaveLength(most);
  expect(text).toMatch(/^<.*>$/s);
});

test("leaves alone what is short enough", () =>
  expect([truncate("abc", 3), shortened("abc", 3)]).toEqual(["abc", "abc"]));

test("cuts off the end", () => expect(shortened("abc def", 5)).toBe("abc…"));

test("has a different text for every reason", () => {
  expect(new Set(Object.values(reasonWords)).size).toBe(Object.keys(reasonWords).length);
});

test.each([
  ["short", "short"],
  [`${"a".repeat(60)} ${"b".repeat(60)}`, `${"a".repeat(60)}\n${"b".repeat(60)}`],
  [`> - ${"a".repeat(60)} ${"b".repeat(60)}`, `> - ${"a".repeat(60)}\n>   ${"b".repeat(60)}`],
  ["m".repeat(300), "m".repeat(300)],
])("breaks a long line at blanks, and keeps it quoted: %j", (text, lines) => {
  expect(collapsible(text)).toBe(lines);
});
