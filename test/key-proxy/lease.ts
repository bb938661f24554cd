import { onTestFinished } from "vitest";
import { getKeyProxy } from "../../src/key-proxy/index.ts";
import type { KeyLease, KeyLeaseRequest, ProviderProtocol } from "../../src/key-proxy/lease.ts";

export const realKey = "sk-real-0123456789";
export const headerOf: Record<ProviderProtocol, string> = {
  anthropic: "x-api-key",
  openai: "authorization",
  gemini: "x-goog-api-key",
};

/** Lends a key for an endpoint, until the test is over. */
export async function openLease(
  upstream: string,
  some: Partial<KeyLeaseRequest> & { readonly secret?: string } = {},
) {
  const wire = some.wire ?? "anthropic";
  const value = wire === "openai" ? `Bearer ${realKey}` : realKey;
  const secret = some.secret ?? "ANTHROPIC_API_KEY";
  const lease = await getKeyProxy().lease({
    wire,
    upstream,
    key: { header: headerOf[wire], value, secret },
    signal: new AbortController().signal,
    ...some,
  });
  onTestFinished(() => lease.end());
  return lease;
}

export const post = (
  lease: KeyLease,
  path: string,
  headers: Record<string, string> = { "x-api-key": lease.key },
) => fetch(`${lease.baseUrl}${path}`, { method: "POST", body: '{"q":1}', headers });

export async function asked(lease: KeyLease, path = "/v1/messages") {
  const response = await post(lease, path);
  return { status: response.status, text: await response.text() };
}
