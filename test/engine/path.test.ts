import { expect, test } from "vitest";
import { placeInWords } from "../../src/engine/path.ts";

test.each([
  ["/fix#2", "iteration 2 of fix"],
  ["/fix#2~3", "iteration 2 of fix"],
  ["/fix#12~34/test~56", "test in iteration 12 of fix"],
  ["/plan~2!gate", "a step of plan"],
  ["/fix#2!confirm3", "the check of iteration 2 of fix"],
  ["/each#0/fix#0?12", "the check of the baseline of fix in iteration 0 of each"],
  ["/fix#2/test", "test in iteration 2 of fix"],
  ["/each#1/fix#2?0", "the check of iteration 2 of fix in iteration 1 of each"],
  ["/fix#0?1", "the check of the baseline of fix"],
  ["/fix#2!clean", "the check of iteration 2 of fix"],
  ["/fix#2!snapshot", "a step of iteration 2 of fix"],
  ["/before", "before"],
  ["", ""],
])("%s is %s", (path, text) => {
  expect(placeInWords(path)).toBe(text);
});
