import assert from "node:assert/strict";
import { test } from "node:test";
import { retry } from "../src/index.js";

test("a rejected promise is retried, with doubled delays", async () => {
  const pauses = [];
  const sleep = async (ms) => void pauses.push(ms);
  const answer = await retry(
    async (attempt) => {
      if (attempt < 3) throw new Error(`attempt ${attempt}`);
      return "done";
    },
    { sleep },
  );
  assert.equal(answer, "done");
  assert.deepEqual(pauses, [100, 200]);
});

test("the last error is thrown", async () => {
  const work = async (attempt) => {
    throw new Error(`attempt ${attempt}`);
  };
  await assert.rejects(retry(work, { times: 2, sleep: async () => undefined }), /attempt 2/);
});
