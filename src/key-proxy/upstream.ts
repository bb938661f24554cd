import type { ProviderProtocol } from "./lease.ts";

/** A validated base URL of an endpoint; throws for one that must not receive a key. */
export function readUpstream(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw new Error(`the model's base URL ${JSON.stringify(text)} is not a URL`);
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw new Error(
      `the model's base URL at ${url.host} must be host and path only, without a login or a query`,
    );
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url)))
    throw new Error(`the model's base URL ${text} must begin with https: a key is not sent in the clear`);
  return url;
}

/** True if a URL names this machine. */
export const isLoopback = ({ hostname }: URL): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);

/** The target of a request to the key proxy: a URL below the endpoint's base, or `undefined`. */
export function targetOf(
  { method, url: path }: { readonly method: string; readonly url: string },
  { wire, upstream }: { readonly wire: ProviderProtocol; readonly upstream: URL },
) {
  // Some servers read `//` as a host, an encoded slash (even encoded twice) as a slash, or `..;` as `..`.
  if (!/^\/(?!\/)/.test(path) || /%2f|%5c|%2e|%25|%3b|[\\;]/i.test(path.split("?")[0] ?? ""))
    return undefined;
  const { pathname, searchParams } = new URL(`http://relay${path}`);
  if (pathname.includes("//") || !isAllowed(wire, { method, path: pathname })) return undefined;
  const below = wire === "openai" ? /^\/v1(?=\/)(.*)$/.exec(pathname)?.[1] : pathname;
  if (below === undefined) return undefined;
  // It contained the leased key.
  searchParams.delete("key");
  const target = new URL(upstream);
  target.pathname = `${upstream.pathname.replace(/\/+$/, "")}${below}`;
  target.search = searchParams.toString();
  return target;
}

interface Allowed {
  readonly methods: readonly string[];
  readonly path: RegExp;
}

const reading = ["GET", "HEAD"];
const asking = ["POST"];

/**
 * The requests of each provider's API that an agent needs, with paths as in the provider's documentation, below the
 * endpoint's base. The account's files, batches, keys and organizations are off limits.
 */
const allowed: Readonly<Record<ProviderProtocol, readonly Allowed[]>> = {
  // docs.anthropic.com/en/api: messages, count tokens, models.
  anthropic: [
    { methods: asking, path: /^\/v1\/messages(\/count_tokens)?$/ },
    { methods: reading, path: /^\/v1\/models(\/[^/]+)?$/ },
  ],
  // platform.openai.com/docs/api-reference: responses (Codex compacts them), chat completions, models.
  openai: [
    { methods: asking, path: /^\/v1\/(responses(\/compact|\/input_tokens)?|chat\/completions)$/ },
    { methods: reading, path: /^\/v1\/models(\/.+)?$/ },
  ],
  // ai.google.dev/api: models and their methods.
  gemini: [
    {
      methods: asking,
      path: /^\/v1(beta|alpha)?\/models\/[^/]+:(generateContent|streamGenerateContent|countTokens)$/,
    },
    { methods: reading, path: /^\/v1(beta|alpha)?\/models(\/[^/]+)?$/ },
  ],
};

/** Whether an agent may send this request. `path` is without its query. */
const isAllowed = (
  wire: ProviderProtocol,
  { method, path }: { readonly method: string; readonly path: string },
) => allowed[wire].some((one) => one.methods.includes(method) && one.path.test(path));
