import type { IncomingMessage } from "node:http";
import type { LeaseState } from "./lease-state.ts";
import { type ProviderError, readStreamError } from "./provider-errors.ts";
import type { Meter } from "./usage-meter.ts";

/** The endpoints that have answered as a model's in this process. */
const proven = new Set<string>();

/** Notes that an endpoint is a model's. */
export const prove = ({ upstream }: Pick<LeaseState, "upstream">): void => void proven.add(upstream.href);

type Upstream = Pick<LeaseState, "upstream">;

/** What looks like a wrong setting. Where an endpoint has answered before it is the endpoint's trouble, and passes. */
const wrongOrPassing = ({ upstream }: Upstream, message: string, advice: string): ProviderError =>
  proven.has(upstream.href) ? { fault: "network", message } : { fault: "refused", message: message + advice };

/** Why an endpoint could not be reached. */
export function unreachable(error: unknown, of: Upstream): ProviderError {
  const message = `${of.upstream.host} cannot be reached: ${errorText(error)}`;
  const { code = "" } = error as NodeJS.ErrnoException;
  if (!certificateErrors.test(code)) return { fault: "network", message };
  const advice =
    "; set NODE_EXTRA_CA_CERTS to a file with the certificate of its authority, or correct the base URL";
  return wrongOrPassing(of, message, advice);
}

const certificateErrors = /CERT|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|^ERR_TLS_/;

/** An error in words: some have only a code. */
export const errorText = (error: unknown): string => {
  const { message, code } = error as NodeJS.ErrnoException;
  return message || code || String(error);
};

/** What was wrong with an answer that began well. A client that went away is no trouble. */
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

/** Why an answer cannot be a model's; `undefined` if it can. */
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
