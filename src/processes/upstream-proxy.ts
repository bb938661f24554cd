import type { Environment } from "./environment.ts";

/** This machine's proxy, through which hosts outside its network are reached. */
export interface UpstreamProxy {
  readonly url: URL;
  /** The header that authenticates this user; empty if the proxy's address has no login. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The proxy for a host according to the usual variables; `undefined` if the host is reached directly. Supports only
 * HTTP proxies; a SOCKS proxy is ignored.
 */
export function upstreamProxy(
  environment: Environment,
  {
    protocol,
    host,
    port,
  }: { readonly protocol: "http" | "https"; readonly host: string; readonly port: number },
): UpstreamProxy | undefined {
  const of = (name: string) => environment[name.toLowerCase()] || environment[name] || undefined;
  const proxy = of(`${protocol.toUpperCase()}_PROXY`) ?? of("ALL_PROXY");
  if (proxy === undefined || isLocal(host) || isExcepted(of("NO_PROXY") ?? "", { host, port }))
    return undefined;
  const address = proxy.includes("://") ? proxy : `http://${proxy}`;
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (url.protocol !== "http:" && url.protocol !== "https:") return undefined;
  const login = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  const header = { "proxy-authorization": `Basic ${Buffer.from(login).toString("base64")}` };
  return { url, headers: login === ":" ? {} : header };
}

const isLocal = (host: string) => /^(localhost|127\.[\d.]+|::1)$/.test(host);

function isExcepted(list: string, { host, port }: { readonly host: string; readonly port: number }): boolean {
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .some((entry) => {
      const [, name = "", only] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
      if (only !== undefined && Number(only) !== port) return false;
      const domain = name.replace(/^\*?\.?/, "");
      return (
        name === "*" ||
        (domain !== "" && (host.toLowerCase() === domain || host.toLowerCase().endsWith(`.${domain}`)))
      );
    });
}
