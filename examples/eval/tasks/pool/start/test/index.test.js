import assert from "node:assert/strict";
import { test } from "node:test";
import { mapAtMost } from "../src/index.js";

test("results are in the order of the items, not of completion", async () => {
  const slowFirst = async (item) => {
    for (let turn = 0; turn < 10 - item; turn += 1) await undefined;
    return item * 2;
  };
  assert.deepEqual(await mapAtMost([1, 2, 3, 4], 2, slowFirst), [2, 4, 6, 8]);
});

test("no more than the limit run at the same time", async () => {
  let [now, highest] = [0, 0];
  await mapAtMost([1, 2, 3, 4, 5], 2, async () => {
    highest = Math.max(highest, ++now);
    await undefined;
    now -= 1;
  });
  assert.equal(highest, 2);
});
