import assert from "node:assert/strict";
import { test } from "node:test";
import { Limiter } from "../src/index.js";

test("refused calls do not count", () => {
  let time = 0;
  const limiter = new Limiter(2, 100, () => time);
  assert.deepEqual([limiter.take(), limiter.take(), limiter.take()], [true, true, false]);
  time = 50;
  assert.deepEqual([limiter.take(), limiter.take()], [false, false]);
  time = 100;
  assert.equal(limiter.take(), true);
});
