import { expect, test } from "vitest";
import {
  appendBounded,
  type BoundedList,
  emptyBoundedList,
  mapMatching,
  shrink,
  toArray,
} from "../../src/status/bounded-list.ts";

const upTo = (most: number): BoundedList<number> =>
  Array.from({ length: most }, (_, at) => at + 1).reduce<BoundedList<number>>(
    appendBounded,
    emptyBoundedList,
  );

test("keeps all of a short list", () => {
  expect(toArray(upTo(100))).toEqual(Array.from({ length: 100 }, (_, at) => at + 1));
  expect(upTo(100).left).toBe(0);
});

test("keeps the ends of a long one", () => {
  const { first, left, last } = upTo(250);
  expect([first.length, first.at(-1), left, last.length, last[0], last.at(-1)]).toEqual([
    20, 20, 150, 80, 171, 250,
  ]);
});

test("changes only what is meant and still there", () => {
  const negated = mapMatching(
    upTo(250),
    (number) => number % 100 === 0,
    (number) => -number,
  );
  expect(toArray(negated).filter((number) => number < 0)).toEqual([-200]);
});

test("narrows to fewer, rather the later ones, and counts what it leaves out", () => {
  const { first, left, last } = shrink(upTo(250), 8);
  expect([first, left, last]).toEqual([[1, 2], 242, [245, 246, 247, 248, 249, 250]]);
  expect(shrink(upTo(5), 0)).toEqual({ first: [], left: 5, last: [] });
  expect(shrink(upTo(5), 5)).toEqual(upTo(5));
});
