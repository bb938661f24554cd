import { describe, expect, test } from "vitest";
import { type Attempt, type Grade, gradeIn, gradeTrailer, whyWorse } from "../../src/series/grade.ts";
import { bestOf } from "../../src/series/rank-attempts.ts";

const fresh = { continues: false, sameBase: true };
const next = { continues: true, sameBase: true };

describe("an attempt takes the place of the published work", () => {
  test.each<[string, Attempt, Grade]>([
    ["green for red", { green: true, ...fresh }, { green: false }],
    ["green for green", { green: true, lines: 90, ...next }, { green: true, lines: 2 }],
    [
      "with fewer failing tests",
      { green: false, failing: 2, lines: 9, ...fresh },
      { green: false, failing: 3, lines: 1 },
    ],
    [
      "with a smaller diff",
      { green: false, failing: 2, lines: 3, ...fresh },
      { green: false, failing: 2, lines: 9 },
    ],
    [
      "that builds on it, where no tests are counted",
      { green: false, lines: 9, ...next },
      { green: false, lines: 1 },
    ],
    [
      "on a newer base",
      { green: false, failing: 9, continues: true, sameBase: false },
      { green: false, failing: 1 },
    ],
    ["where nothing is known", { green: false, ...fresh }, { green: false }],
  ])("%s", (_, attempt, published) => {
    expect(whyWorse(attempt, published)).toBeUndefined();
  });
});

describe("an attempt does not take the place of the published work", () => {
  test.each<[string, readonly [Attempt, Grade], RegExp]>([
    [
      "red for green",
      [{ green: false, failing: 1, ...next }, { green: true }],
      /is green and this attempt is not/,
    ],
    [
      "red for green on a newer base",
      [{ green: false, continues: true, sameBase: false }, { green: true }],
      /is green/,
    ],
    [
      "with more failing tests",
      [
        { green: false, failing: 4, ...next },
        { green: false, failing: 3 },
      ],
      /4 tests fail, 3 in/,
    ],
    [
      "to review for proved",
      [{ green: true, review: true, ...next }, { green: true }],
      /this attempt has to be reviewed first/,
    ],
    [
      "with a larger diff",
      [
        { green: false, failing: 3, lines: 9, ...next },
        { green: false, failing: 3, lines: 2 },
      ],
      /9 changed lines/,
    ],
  ])("%s", (_, [attempt, published], why) => {
    expect(whyWorse(attempt, published)).toMatch(why);
  });
});

test.each<Grade>([
  { green: true },
  { green: true, review: true },
  { green: false, failing: 3, lines: 12 },
  { green: false, lines: 0 },
])("the trailer of a commit keeps the grade %j", (grade) => {
  expect(gradeIn(`Fix it\n\nUntil-Green-Run: x-1\n${gradeTrailer(grade)}\n`)).toEqual(grade);
});

test.each(["Fix it", "Until-Green-Grade: greenish", "x Until-Green-Grade: green"])(
  "the message %j holds no grade",
  (message) => {
    expect(gradeIn(message)).toBeUndefined();
  },
);

test.each<[string, readonly Grade[], number]>([
  [
    "green",
    [
      { green: false, failing: 0, lines: 1 },
      { green: true, lines: 90 },
    ],
    1,
  ],
  [
    "the smaller of two green ones",
    [
      { green: true, failing: 9, lines: 9 },
      { green: true, lines: 8 },
    ],
    1,
  ],
  [
    "fewer failing tests",
    [
      { green: false, failing: 2, lines: 1 },
      { green: false, failing: 1, lines: 9 },
    ],
    1,
  ],
  [
    "one whose failing tests are known",
    [
      { green: false, lines: 1 },
      { green: false, failing: 9 },
    ],
    1,
  ],
  ["the first of equal ones", [{ green: false }, { green: false }], 0],
])("the best of several attempts is %s", (_, grades, best) => {
  expect(bestOf(grades, ["tests", "smallest-diff"])[0]).toBe(best);
  expect(bestOf(grades.toReversed(), ["tests", "smallest-diff"])[0]).toBe(
    best === 0 ? 0 : grades.length - 1 - best,
  );
});
