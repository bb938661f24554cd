import type { IncomingMessage } from "node:http";
import type { LeaseState } from "./lease-state.ts";
import { type ProviderError, readStreamError } from "./provider-errors.ts";
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
  const { code = "" } = error as NodeJS.ErrnoException;
  if (Object.hasOwn(patienceWithNames, code)) return unknownHost(code, { of, message, now });
  unresolved.delete(of.upstream.hostname);
  if (code === "EPROTO")
    return wrongOrPassing(of, message, "; correct the base URL: what answers there does not speak https");
  if (!certificateErrors.test(code)) return { fault: "network", message };
  const advice =
    "; set NODE_EXTRA_CA_CERTS to a file with the certificate of its authority, or correct the base URL";
  return wrongOrPassing(of, message, advice);
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

function unknownHost(code: string, { of, message, now }: UnknownHost): ProviderError {
  const { hostname } = of.upstream;
  const since = unresolved.get(hostname) ?? now;
  unresolved.set(hostname, since);
  if (now - since < (patienceWithNames[code] ?? 0)) return { fault: "network", message };
  const seconds = Math.round((now - since) / 1_000);
  const advice = `; no address of ${hostname} was found for ${seconds} s: correct the base URL, or this machine's name server`;
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

/** The error in an answer that started well. If the client disconnected, that is not an error. */
export function troubleIn(
  meter: Meter,
  { host, stop }: { readonly host: string; readonly stop: AbortSignal },
): ProviderError | undefined {
  const error = meter.error();
  if (error !== undefined) return readStreamError(error, host);
  if (stop.aborted) return undefined;
  if (!meter.isWhole()) return { fault: "network", message: `${host} cut off its answer` };
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
  if (method === "POST" && status < 300 && /^text\/html\b/i.test(headers["content-type"] ?? ""))
    return wrongOrPassing(account, `${host} answered with a web page`, "; set the base URL of a model API");
  return undefined;
}
