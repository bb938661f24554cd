import assert from "node:assert/strict";
import { test } from "node:test";
import { once } from "../src/index.js";

test("parallel callers share one call", async () => {
  let calls = 0;
  const get = once(async () => ++calls);
  assert.deepEqual(await Promise.all([get(), get(), get()]), [1, 1, 1]);
  assert.equal(await get(), 1);
});

test("after a failure, it is called again", async () => {
  let calls = 0;
  const get = once(async () => {
    calls += 1;
    if (calls === 1) throw new Error("first");
    return "second";
  });
  await assert.rejects(get(), /first/);
  assert.equal(await get(), "second");
});
