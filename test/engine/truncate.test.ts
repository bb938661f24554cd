import { expect, test } from "vitest";
import { byteLength, truncateBytes, truncateToTotal } from "../../src/engine/truncate.ts";

const short = (text: string, most: number) => truncateBytes(text, most);

test("a text is cut to a number of bytes, and says how many are left out", () => {
  expect(short("x".repeat(100), 100)).toBe("x".repeat(100));
  expect(short("x".repeat(101), 100)).toBe(`${"x".repeat(52)}\n[… 49 bytes left out …]`);
  expect(short("é".repeat(50), 100)).toBe("é".repeat(50));
  expect(short("é".repeat(51), 100)).toBe(`${"é".repeat(26)}\n[… 50 bytes left out …]`);
});

test("no character is split", () => {
  expect(short(`x${"é".repeat(50)}`, 100)).toBe(`x${"é".repeat(25)}\n[… 50 bytes left out …]`);
  expect(short(`${"\u{1f600}".repeat(30)}`, 101)).toBe(`${"\u{1f600}".repeat(13)}\n[… 68 bytes left out …]`);
});

test("within less than the mark's own size, nothing but the mark is left", () => {
  expect(short("x".repeat(100), 20)).toBe("\n[… 100 bytes left out …]");
});

test("bytes are counted as UTF-8", () => {
  expect([byteLength(""), byteLength("x"), byteLength("é"), byteLength("\u{1f600}")]).toEqual([0, 1, 2, 4]);
});

test("texts that fit together are left as they are; else the longest are cut to an equal share", () => {
  const [a, b, c] = ["a".repeat(50), "b".repeat(200), "c".repeat(300)];
  expect(truncateToTotal([c, a, b], 550)).toEqual([c, a, b]);
  const cut = truncateToTotal([c, a, b], 450);
  expect(cut).toEqual([`${"c".repeat(152)}\n[… 148 bytes left out …]`, a, b]);
  const more = truncateToTotal([c, a, b], 350);
  expect(more.map((text) => text[0])).toEqual(["c", "a", "b"]);
  expect(more).toEqual([
    `${"c".repeat(102)}\n[… 198 bytes left out …]`,
    a,
    `${"b".repeat(102)}\n[… 98 bytes left out …]`,
  ]);
  expect(truncateToTotal([], 10)).toEqual([]);
});
