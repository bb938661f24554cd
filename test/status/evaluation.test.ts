import { expect, test } from "vitest";
import { intervalOf } from "../../src/ports/interval.ts";

test.each([
  [0, 0, undefined],
  // Newcombe 1998, table I.
  [81, 263, [0.2553, 0.3662]],
  [15, 148, [0.0624, 0.1605]],
  [0, 20, [0, 0.1611]],
  [1, 29, [0.0061, 0.1718]],
])("the interval of %i of %i is that of Wilson's score", (successes, trials, expected) => {
  expect(intervalOf(successes, trials)?.map((bound) => Number(bound.toFixed(4)))).toEqual(expected);
});
