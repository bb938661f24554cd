import { expect, onTestFinished, test } from "vitest";
import { getKeyProxy } from "../../src/key-proxy/index.ts";
import type { ProviderProtocol } from "../../src/key-proxy/lease.ts";
import { openEndpoint, saying } from "./endpoint.ts";

async function openLease(url: string, wire: ProviderProtocol) {
  const lease = await getKeyProxy().lease({
    wire,
    upstream: wire === "openai" ? `${url}/v1` : url,
    key: { header: "authorization", value: "Bearer sk-real-0123456789" },
    signal: new AbortController().signal,
  });
  onTestFinished(() => lease.end());
  return lease;
}

test.each([
  ["anthropic", "GET", "/v1/files"],
  ["anthropic", "DELETE", "/v1/files/file_1"],
  ["anthropic", "POST", "/v1/messages/batches"],
  ["anthropic", "GET", "/v1/organizations/users"],
  ["anthropic", "GET", "/v1/messages"],
  ["anthropic", "GET", "/v1/models/m/files"],
  ["anthropic", "POST", "/x/v1/messages"],
  ["anthropic", "POST", "/v1/messages/count_tokens/x"],
  ["openai", "GET", "/files"],
  ["openai", "POST", "/batches"],
  ["openai", "GET", "/organization/admin_api_keys"],
  ["openai", "DELETE", "/models/ft-1"],
  ["openai", "GET", "/responses/resp_1"],
  ["gemini", "POST", "/v1beta/files"],
  ["gemini", "POST", "/v1beta/models/m:batchGenerateContent"],
  ["gemini", "GET", "/v1beta/tunedModels"],
  ["gemini", "GET", "/v1beta/models/m/operations"],
  ["gemini", "GET", "/x/v1beta/models"],
  ["anthropic", "GET", "/x/v1/models"],
  ["gemini", "POST", "/v1beta/models/m:countTokensOf"],
  ["gemini", "POST", "/x/v1beta/models/m:countTokens"],
] as const)("refuses %s %s %s, by which no model is asked", async (wire, method, path) => {
  const { url, asked } = await openEndpoint(saying({}));
  const lease = await openLease(url, wire);
  const answer = await fetch(`${lease.baseUrl}${path}`, { method, headers: { "x-api-key": lease.key } });
  expect(answer.status).toBe(404);
  expect(answer.headers.get("content-type")).toBe("application/json");
  const message = "until-green forwards only requests to a model API";
  expect(await answer.json()).toEqual({ type: "error", error: { type: "api_error", message } });
  expect(asked).toEqual([]);
});

test.each([
  ["anthropic", "POST", "/v1/messages/count_tokens?beta=true"],
  ["anthropic", "GET", "/v1/models?limit=1000"],
  ["anthropic", "GET", "/v1/models/claude-1"],
  ["openai", "POST", "/responses"],
  ["openai", "POST", "/responses/compact"],
  ["openai", "POST", "/responses/input_tokens"],
  ["openai", "GET", "/models"],
  ["openai", "GET", "/models/some/model"],
  ["gemini", "GET", "/v1/models"],
  ["gemini", "GET", "/v1alpha/models/m-1"],
  ["gemini", "POST", "/v1beta/models/m:streamGenerateContent?alt=sse"],
  ["gemini", "POST", "/v1beta/models/m:countTokens"],
] as const)("passes on %s %s %s", async (wire, method, path) => {
  const { url, asked } = await openEndpoint(saying({}));
  const lease = await openLease(url, wire);
  const answer = await fetch(`${lease.baseUrl}${path}`, { method, headers: { "x-api-key": lease.key } });
  expect(answer.status).toBe(200);
  expect(asked[0]?.url).toBe(wire === "openai" ? `/v1${path}` : path);
});

test("a key that an answer repeats is struck from its headers and its body, whole and in pieces", async () => {
  const real = "sk-real-0123456789";
  const stars = "*".repeat(real.length);
  const { url } = await openEndpoint(async ({ headers }, response) => {
    const key = String(headers.authorization).replace("Bearer ", "");
    response.writeHead(200, { "content-type": "text/plain", "x-echo": `you sent ${key}` });
    response.write(`you sent ${key}, ${key.slice(0, 7)}`);
    await new Promise((later) => setTimeout(later, 50));
    response.write(key.slice(7, 9));
    await new Promise((later) => setTimeout(later, 50));
    response.end(`${key.slice(9)} and sk-re`);
  });
  const lease = await openLease(url, "anthropic");
  const answer = await fetch(`${lease.baseUrl}/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": lease.key },
  });
  expect(answer.headers.get("x-echo")).toBe(`you sent ${stars}`);
  expect(await answer.text()).toBe(`you sent ${stars}, ${stars} and sk-re`);
});
