import { existsSync, readFileSync } from "node:fs";
import process from "node:process";
import type tls from "node:tls";
import { createSecureContext, type SecureContext } from "node:tls";
import type { Environment } from "../processes/environment.ts";

/** Credentials of a repository, and how to reach its host without git. */
export interface Login {
  /** The repository's address, without credentials. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** The proxy variables, if a proxy is used. */
  readonly proxies: Environment | undefined;
  /** Certificate authorities for this host, if they differ from Node's own list. */
  readonly secureContext: SecureContext | undefined;
  /** True if certificates are not verified. */
  readonly trusts: boolean;
}

export type Setting = readonly [name: string, value: string];

/**
 * The login that git's settings and environment describe; `undefined` if they contain no credentials for a header, or
 * if only git can reach the host.
 */
export function loginOf(
  address: string,
  settings: readonly Setting[],
  environment: Environment,
): Login | undefined {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  const headers = { ...headersFor(url, settings), ...headerIn(url) };
  if (!("authorization" in headers) || needsGit(settings, environment)) return undefined;
  url.username = "";
  url.password = "";
  const proxies = proxiesFor(url, settings, environment);
  if (proxies === "unknown") return undefined;
  return { url, headers, proxies, ...trustOf(url, settings, environment) };
}

/** The setting that applies to this host; the last one wins. */
function valueFor(url: URL, settings: readonly Setting[], key: string): string | undefined {
  return settings.findLast(([name]) => isAbout(url, name, key))?.[1];
}

function isAbout(url: URL, name: string, key: string): boolean {
  const [, prefix] = new RegExp(`^http\\.(?:(.+)\\.)?${key}$`).exec(name) ?? [undefined, undefined];
  if (prefix === undefined) return name === `http.${key}`;
  if (!URL.canParse(prefix)) return false;
  const { origin, pathname } = new URL(prefix);
  return origin === url.origin && `${url.pathname}/`.startsWith(pathname.replace(/\/*$/, "/"));
}

/** As in git, an empty value resets the headers before it. */
function headersFor(url: URL, settings: readonly Setting[]): Readonly<Record<string, string>> {
  const lines = settings.flatMap(([name, value]) => (isAbout(url, name, "extraheader") ? [value] : []));
  return Object.fromEntries(
    lines.slice(lines.lastIndexOf("") + 1).flatMap((line) => {
      const [, name, value] = /^([\w-]+):\s*(.*?)\s*$/.exec(line) ?? [];
      return name === undefined || value === undefined ? [] : [[name.toLowerCase(), value]];
    }),
  );
}

function headerIn({ username, password }: URL): Readonly<Record<string, string>> {
  if (password === "") return {};
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `basic ${Buffer.from(login).toString("base64")}` };
}

const needsGit = (settings: readonly Setting[], environment: Environment) =>
  settings.some(([name]) => /^http\./.test(name) && !known.test(name)) ||
  ["GIT_SSL_CERT", "GIT_SSL_KEY", "GIT_SSL_CAPATH", "GIT_PROXY_SSL_CERT"].some((name) => environment[name]);

const known =
  /\.(extraheader|postbuffer|version|lowspeed(limit|time)|useragent|followredirects|maxrequests|minsessions|noepsv|sslcainfo|sslverify|proxy)$/;

const isLoopback = ({ hostname }: URL) => hostname === "localhost" || /^127(\.\d{1,3}){3}$/.test(hostname);

function proxiesFor(
  url: URL,
  settings: readonly Setting[],
  environment: Environment,
): Environment | undefined | "unknown" {
  const own = valueFor(url, settings, "proxy");
  if (own === "" || (own === undefined && isLoopback(url))) return undefined;
  const named = Object.entries(environment).filter(([name, value]) => value && isProxy.test(name));
  const exempt = named.filter(([name]) => /^no_/i.test(name));
  const set: typeof named =
    own === undefined ? named : [...exempt, ["https_proxy", own], ["http_proxy", own]];
  if (set.length === exempt.length) return undefined;
  const isPlain = set.every(([name, value]) => /^no_/i.test(name) || /^https?:\/\//.test(value ?? ""));
  const isKnown = isPlain && !set.some(([name]) => /^all_/i.test(name));
  return isKnown && process.allowedNodeEnvironmentFlags.has("--use-env-proxy")
    ? Object.fromEntries(set)
    : "unknown";
}

/** Variables in which git and Node look for a proxy. */
export const isProxy = /^(https?|all|no)_proxy$/i;

function trustOf(url: URL, settings: readonly Setting[], environment: Environment) {
  const trusts =
    Boolean(environment["GIT_SSL_NO_VERIFY"]) ||
    /^(false|no|off|0)$/i.test(valueFor(url, settings, "sslverify") ?? "");
  const file =
    environment["GIT_SSL_CAINFO"] ||
    valueFor(url, settings, "sslcainfo") ||
    environment["SSL_CERT_FILE"] ||
    environment["CURL_CA_BUNDLE"];
  if (url.protocol === "http:" || (url.hostname === "github.com" && !file))
    return { trusts, secureContext: undefined };
  const ca = [...authorities(), ...(file && existsSync(file) ? [readFileSync(file, "utf8")] : [])];
  return { trusts, secureContext: createSecureContext({ ca }) };
}

/** The system's certificates too: a company's host often has one that only the machine trusts, as git does. */
const authorities = (): readonly string[] => {
  const { getCACertificates, rootCertificates }: Partial<typeof tls> = process.getBuiltinModule("node:tls");
  if (getCACertificates === undefined) return rootCertificates ?? [];
  return [...getCACertificates("default"), ...getCACertificates("system")];
};
