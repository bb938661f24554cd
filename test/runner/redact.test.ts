import { expect, test } from "vitest";
import { redact } from "../../src/runner/redact.ts";

const secret = "hush-hush-hush";

test("an answer loses secrets and tokens at every depth, in values and in keys; everything else stays", () => {
  const answer = {
    text: `it is ${secret}`,
    list: [secret, { [secret]: `ghp_${"a".repeat(36)}` }],
    exitCode: 1,
    timedOut: false,
    nothing: null,
    short: "word",
  };
  const cleaned = redact(answer, [secret, "word"]);
  expect(JSON.stringify(cleaned)).not.toMatch(/hush|ghp_a/);
  expect(cleaned).toMatchObject({ exitCode: 1, timedOut: false, nothing: null, short: "word" });
  expect(cleaned.text).toMatch(/^it is ./);
});
