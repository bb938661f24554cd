import { expect, test } from "vitest";
import { change, type Kept, keep, keptNone, listed, narrowed } from "../../src/report/kept.ts";

const upTo = (most: number): Kept<number> =>
  Array.from({ length: most }, (_, at) => at + 1).reduce<Kept<number>>(keep, keptNone);

test("keeps all of a short list", () => {
  expect(listed(upTo(100))).toEqual(Array.from({ length: 100 }, (_, at) => at + 1));
  expect(upTo(100).left).toBe(0);
});

test("keeps the ends of a long one", () => {
  const { first, left, last } = upTo(250);
  expect([first.length, first.at(-1), left, last.length, last[0], last.at(-1)]).toEqual([
    20, 20, 150, 80, 171, 250,
  ]);
});

test("changes only what is meant and still there", () => {
  const negated = change(
    upTo(250),
    (number) => number % 100 === 0,
    (number) => -number,
  );
  expect(listed(negated).filter((number) => number < 0)).toEqual([-200]);
});

test("narrows to fewer, rather the later ones, and counts what it leaves out", () => {
  const { first, left, last } = narrowed(upTo(250), 8);
  expect([first, left, last]).toEqual([[1, 2], 242, [245, 246, 247, 248, 249, 250]]);
  expect(narrowed(upTo(5), 0)).toEqual({ first: [], left: 5, last: [] });
  expect(narrowed(upTo(5), 5)).toEqual(upTo(5));
});
