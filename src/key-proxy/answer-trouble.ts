import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { LeaseState } from "./lease-state.ts";
import { type ProviderError, parseErrorResponse, readStreamError } from "./provider-errors.ts";
import type { Meter } from "./usage-meter.ts";

/** The endpoints that have answered like a model API in this process. */
const proven = new Set<string>();

/** Since when a host's name could not be resolved, in milliseconds since 1970. */
const unresolved = new Map<string, number>();

/** Records that an endpoint is a model API. */
export function prove({ upstream }: Pick<LeaseState, "upstream">): void {
  proven.add(upstream.href);
  unresolved.delete(upstream.hostname);
}

type Upstream = Pick<LeaseState, "upstream">;

/** An error that looks like a wrong setting; if the endpoint has answered before, a temporary network error. */
const wrongOrPassing = ({ upstream }: Upstream, message: string, advice: string): ProviderError =>
  proven.has(upstream.href)
    ? { fault: "network", message }
    : { fault: "refused", message: message + advice, isSetting: true };

/** Why an endpoint could not be reached. */
export function unreachable(error: unknown, of: Upstream, now = Date.now()): ProviderError {
  const message = `${of.upstream.host} cannot be reached: ${errorText(error)}`;
  const failure = error as Failure;
  if (Object.hasOwn(patienceWithNames, failure.code ?? "")) return unknownHost(failure, { of, message, now });
  unresolved.delete(of.upstream.hostname);
  const advice = adviceFor(failure);
  return advice === undefined ? { fault: "network", message } : wrongOrPassing(of, message, advice);
}

interface Failure {
  readonly code?: string;
  /** The name that could not be resolved. */
  readonly hostname?: string;
  /** The answer of a proxy that was asked for a connection. */
  readonly statusCode?: number;
}

/** What to do about a connection that a setting prevents; `undefined` if it may work later. */
function adviceFor({ code = "", statusCode = 0 }: Failure): string | undefined {
  if (code === "EPROTO") return "; correct the base URL: what answers there does not speak https";
  if (code === "HPE_INVALID_CONSTANT")
    return "; correct the base URL: what answers there does not speak HTTP";
  if (code === "ERR_PROXY_TUNNEL" && statusCode === 407)
    return "; set HTTPS_PROXY to the proxy's address with a user and a password that it accepts";
  if (code === "ERR_PROXY_TUNNEL" && statusCode >= 400 && statusCode < 500)
    return "; allow this host in the proxy, or list it in NO_PROXY";
  return certificateErrors.test(code)
    ? "; set NODE_EXTRA_CA_CERTS to a file with the certificate of its authority, or correct the base URL"
    : undefined;
}

/**
 * How long to retry if a name was never resolved, in milliseconds: a name server that is down for a moment gives the
 * same error as an unknown host or a missing name server.
 */
const patienceWithNames: Readonly<Record<string, number>> = { ENOTFOUND: 20_000, EAI_AGAIN: 60_000 };

interface UnknownHost {
  readonly of: Upstream;
  readonly message: string;
  readonly now: number;
}

function unknownHost(
  { code = "", hostname: missing }: Failure,
  { of, message, now }: UnknownHost,
): ProviderError {
  const { hostname } = of.upstream;
  const since = unresolved.get(hostname) ?? now;
  unresolved.set(hostname, since);
  if (now - since < (patienceWithNames[code] ?? 0)) return { fault: "network", message };
  const seconds = Math.round((now - since) / 1_000);
  const name = missing ?? hostname;
  const setting = name === hostname ? "the base URL" : "HTTPS_PROXY";
  const advice = `; no address of ${name} was found for ${seconds} s: correct ${setting}, or this machine's name server`;
  return wrongOrPassing(of, message, advice);
}

const certificateErrors = /CERT|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|^ERR_TLS_/;

/** The text of an error: some have only a code, and OpenSSL hides the reason between locations in its sources. */
const errorText = (error: unknown): string => {
  const { message, code } = error as NodeJS.ErrnoException;
  const reason = /:SSL routines:[^:]*:([^:]+):/.exec(message)?.[1];
  return reason === undefined ? message || code || String(error) : `no TLS connection (${reason})`;
};

/** The error for an answer that broke off. If a connection closes too early, Node only says "aborted". */
export function brokenOff(host: string, error: Error): ProviderError {
  const why = error.message === "aborted" ? "" : `: ${errorText(error)}`;
  return { fault: "network", message: `${host} cut off its answer${why}` };
}

/** What it means that a model refused. */
export const refusalOf = (model: string) =>
  `${model} refused to answer; change the prompt, or set another model`;

/** The error in an answer that started well. If the client disconnected, that is not an error. */
export function troubleIn(
  meter: Meter,
  { host, stop }: { readonly host: string; readonly stop: AbortSignal },
): ProviderError | undefined {
  const error = meter.error();
  if (error !== undefined) return readStreamError(error, host);
  if (stop.aborted) return undefined;
  if (!meter.isWhole()) return { fault: "network", message: `${host} cut off its answer` };
  if (meter.isRefusal()) {
    return { fault: "refused", message: refusalOf(`the model at ${host}`), isRefusal: true };
  }
  return meter.isAnswer() ? undefined : { fault: "network", message: `${host} answered without a message` };
}

/** Why an answer cannot come from a model; `undefined` if it can. */
export function whyNoModel(
  { statusCode: status = 502, headers }: IncomingMessage,
  { method, account }: { readonly method: string; readonly account: Upstream },
): ProviderError | undefined {
  const { host } = account.upstream;
  if (status >= 300 && status < 400 && status !== 304)
    return wrongOrPassing(account, `${host} redirects (${status})`, "; set the base URL it redirects to");
  if (method === "POST" && status < 300 && isPage(headers))
    return wrongOrPassing(account, `${host} answered with a web page`, "; set the base URL of a model API");
  return undefined;
}

interface Refusal {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body, or the part of it that was kept. */
  readonly body: string;
}

/** Classifies an answer with a status of 400 or more. */
export function refusedBy(account: Pick<LeaseState, "upstream" | "key">, refusal: Refusal): ProviderError {
  const { upstream, key } = account;
  const { status, headers, body } = refusal;
  const advice = isPage(headers) ? pageAdvices[status] : undefined;
  if (advice === undefined)
    return parseErrorResponse({ ...refusal, host: upstream.host, secret: key.secret });
  const title = /<title[^>]*>\s*([^<]{1,200}?)\s*</i.exec(body)?.[1];
  const message = `${upstream.host} answered ${status} with a web page${title === undefined ? "" : `: ${title}`}`;
  return wrongOrPassing(account, message, advice);
}

const isPage = (headers: IncomingHttpHeaders): boolean =>
  /^text\/html\b/i.test(headers["content-type"] ?? "");

const noApi = "; set the base URL of a model API";
const firewall = "; allow the requests in the firewall or proxy that answers there, or correct the base URL";

/** Model APIs explain their errors in JSON. A page with one of these statuses comes from something else. */
const pageAdvices: Readonly<Record<number, string>> = {
  400: noApi,
  403: firewall,
  404: noApi,
  405: noApi,
  410: noApi,
  451: firewall,
};
