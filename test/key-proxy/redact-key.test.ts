import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { redactBody } from "../../src/key-proxy/redact-key.ts";

const secret = "sk-real-0123456789";
const mask = "*".repeat(secret.length);

async function redacted(...chunks: readonly string[]): Promise<string> {
  const stream = redactBody(secret);
  for (const chunk of chunks) stream.write(chunk);
  stream.end();
  return await text(stream);
}

test("a key is masked as often as a chunk holds it, also at its very start", async () => {
  const rest = "and more text than the key is long";
  expect(await redacted(`${secret}${secret} ${secret} ${rest}`)).toBe(`${mask}${mask} ${mask} ${rest}`);
});

test("a key over two chunks is masked, and a mere beginning of one stays", async () => {
  expect(await redacted("a sk-real-", "0123456789 b")).toBe(`a ${mask} b`);
  expect(await redacted("a sk-real-", "nothing")).toBe("a sk-real-nothing");
  expect(await redacted("a sk-re")).toBe("a sk-re");
});
