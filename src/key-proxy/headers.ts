import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from "node:http";
import type { KeyLeaseRequest } from "./lease.ts";

/** API keys found in the request, wherever this provider's protocol puts them. */
export function keysGiven({ headers, url = "" }: IncomingMessage): readonly string[] {
  const bearer = /^bearer\s+(\S+)$/i.exec(headers.authorization ?? "")?.[1];
  const query = /[?&]key=([^&#]+)/.exec(url)?.[1];
  return [headers["x-api-key"], headers["x-goog-api-key"], bearer, query]
    .flat()
    .filter((key) => key !== undefined);
}

/** The request headers for the endpoint, with the real key in place of the leased one. */
export function headersOut(
  headers: IncomingHttpHeaders,
  key: Pick<KeyLeaseRequest["key"], "header" | "value" | "besides">,
): OutgoingHttpHeaders {
  const kept = keptOf(headers, notSent);
  // Responses are read for their usage, so they should not be compressed.
  return { ...kept, ...key.besides, "accept-encoding": "identity", [key.header.toLowerCase()]: key.value };
}

/** The response headers for the agent; `unpacked` if the body was decompressed. */
export const headersBack = (headers: IncomingHttpHeaders, unpacked: boolean): OutgoingHttpHeaders =>
  keptOf(headers, unpacked ? new Set([...notReturned, "content-encoding", "content-length"]) : notReturned);

function keptOf(headers: IncomingHttpHeaders, dropped: ReadonlySet<string>): OutgoingHttpHeaders {
  const named = String(headers.connection ?? "")
    .toLowerCase()
    .split(",")
    .map((name) => name.trim());
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name, value]) =>
        value !== undefined && !hopByHop.has(name) && !dropped.has(name) && !named.includes(name),
    ),
  );
}

const hopByHop: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** The leased key, and headers that reveal this machine or choose another method, path or host. */
const notSent: ReadonlySet<string> = new Set([
  ...["accept-encoding", "authorization", "x-api-key", "x-goog-api-key", "cookie", "expect", "host"],
  ...["forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-prefix", "x-forwarded-proto"],
  ...["x-real-ip", "via", "x-original-url", "x-rewrite-url"],
  ...["x-http-method", "x-http-method-override", "x-method-override"],
  // The gateways Portkey and Helicone would send the real key there.
  ...["x-portkey-custom-host", "x-portkey-config", "helicone-target-url", "helicone-openai-api-base"],
]);

const notReturned: ReadonlySet<string> = new Set(["alt-svc", "set-cookie", "strict-transport-security"]);
