import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from "node:http";

/** The keys a request shows, in whatever ways its wire has for that. */
export function keysGiven({ headers, url = "" }: IncomingMessage): readonly string[] {
  const bearer = /^bearer\s+(\S+)$/i.exec(headers.authorization ?? "")?.[1];
  const query = /[?&]key=([^&#]+)/.exec(url)?.[1];
  return [headers["x-api-key"], headers["x-goog-api-key"], bearer, query]
    .flat()
    .filter((key) => key !== undefined);
}

/** What goes to the endpoint of a request's headers, with the real key in place of the lent one. */
export function headersOut(
  headers: IncomingHttpHeaders,
  key: { readonly header: string; readonly value: string },
): OutgoingHttpHeaders {
  const kept = keptOf(headers, notSent);
  // What passes is read for its usage, so it had better not be packed.
  return { ...kept, "accept-encoding": "identity", [key.header.toLowerCase()]: key.value };
}

/** What the agent gets of the endpoint's headers; `unpacked` when the body was packed and is no more. */
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

/** Headers that speak of one connection only. */
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

/** The lent key, and what would tell of this machine or choose another host. */
const notSent: ReadonlySet<string> = new Set([
  "accept-encoding",
  "authorization",
  "x-api-key",
  "x-goog-api-key",
  "cookie",
  "expect",
  "forwarded",
  "host",
  "x-forwarded-for",
  "x-forwarded-host",
]);

const notReturned: ReadonlySet<string> = new Set(["alt-svc", "set-cookie", "strict-transport-security"]);
