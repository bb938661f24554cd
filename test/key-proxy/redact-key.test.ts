import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { redactBody, redactHeaders } from "../../src/key-proxy/redact-key.ts";

const secret = "sk-real-0123456789";
const mask = "*".repeat(secret.length);

const redacted = (...chunks: readonly string[]) => redactedOf(secret, ...chunks);

async function redactedOf(key: string, ...chunks: readonly string[]): Promise<string> {
  const stream = redactBody(key);
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

test("a word that a local endpoint takes as its key is not masked where a model says it", async () => {
  expect(await redactedOf("none", "none of these, no", "ne of those")).toBe("none of these, none of those");
  expect(redactHeaders({ "x-cache": "none", "x-key": secret }, "none")["x-cache"]).toBe("none");
  expect(redactHeaders({ "x-cache": "none", "x-key": secret }, secret)["x-key"]).toBe(mask);
});
