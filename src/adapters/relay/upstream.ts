import type { Wire } from "./loan.ts";

/** An endpoint's base, checked; throws for one that must not be sent a key. */
export function readUpstream(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw new Error(`the model's base URL ${JSON.stringify(text)} is no URL`);
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw new Error(
      `the model's base URL at ${url.host} must be host and path only, without a login or a query`,
    );
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url)))
    throw new Error(`the model's base URL ${text} must begin with https: a key is not sent in the clear`);
  return url;
}

/** Whether a URL names this machine. */
export const isLoopback = ({ hostname }: URL): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);

/** Where a request for a path of the relay goes: below the endpoint's base, or nowhere. */
export function targetOf(asked: string, { wire, upstream }: { readonly wire: Wire; readonly upstream: URL }) {
  // A second slash would be read as a host, an encoded one as a step up by some servers.
  if (!/^\/(?!\/)/.test(asked) || /%2f|%5c|%2e|\\/i.test(asked.split("?")[0] ?? "")) return undefined;
  const { pathname, searchParams } = new URL(`http://relay${asked}`);
  if (pathname.includes("//")) return undefined;
  const below = wire === "openai" ? /^\/v1(?=\/)(.*)$/.exec(pathname)?.[1] : pathname;
  if (below === undefined) return undefined;
  // It held our key, not theirs.
  searchParams.delete("key");
  const target = new URL(upstream);
  target.pathname = `${upstream.pathname.replace(/\/+$/, "")}${below}`;
  target.search = searchParams.toString();
  return target;
}
