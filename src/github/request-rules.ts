import { type Octokit, RequestError } from "octokit";

/** The rules for all our requests, whichever Octokit sends them. */
export interface RequestRules {
  /** Time limit of one attempt, body included, in milliseconds. */
  readonly timeoutMs: number;
  /** Time limit of one request with all attempts and waits, in milliseconds. */
  readonly patienceMs: number;
  /** The length of a one-second wait, in milliseconds; shorter in tests. */
  readonly secondMs: number;
  /** Aborts every request. */
  readonly signal?: AbortSignal | undefined;
}

interface Options {
  readonly method: string;
  readonly url: string;
  readonly query?: unknown;
  request: Record<string, unknown>;
}

/**
 * An Octokit plugin: requests time out, a truncated answer or invalid JSON is an error, and only requests that are
 * safe to repeat are repeated. Put it before the plugins that retry, so that their hooks wrap each attempt. The
 * signal is set in the options that the hooks share, because the hook that adds the token ignores options passed on
 * (https://github.com/octokit/auth-token.js, `hook.ts`).
 */
export const requestRules = (rules: RequestRules) => (octokit: Pick<Octokit, "hook">) => {
  octokit.hook.wrap("request", async (send, request) => {
    const options = request as unknown as Options;
    const timeout = AbortSignal.timeout(rules.timeoutMs);
    const signal = AbortSignal.any([timeout, ...(rules.signal === undefined ? [] : [rules.signal])]);
    const now = performance.now();
    // Kept from the first attempt on.
    const limits = { endsAt: now + rules.patienceMs, limitEndsAt: now + longestLimit * rules.secondMs };
    options.request = { ...limits, ...options.request, signal };
    const failed = (error: unknown): never => {
      if (!mayRepeat(error, options, rules)) options.request["retries"] = 0;
      throw sayLimit(error);
    };
    const answer = await Promise.resolve(send(request)).catch((error: unknown) =>
      failed(timeout.aborted ? noAnswer(`no whole answer within ${rules.timeoutMs} ms`, options) : error),
    );
    return isBroken(answer) ? failed(noAnswer("the answer is broken JSON", options)) : answer;
  });
};

/** How long a rate limit is waited for, in seconds. GitHub asks for at least a minute. */
const longestLimit = 300;

const noAnswer = (message: string, options: Options) =>
  new RequestError(message, 500, { request: options as never });

interface Answer {
  readonly data?: unknown;
  readonly headers: { readonly "content-type"?: string | undefined };
}

/** Octokit returns a body that it cannot parse, or read completely, as text. */
const isBroken = ({ data, headers }: Answer) =>
  typeof data === "string" && /^application\/json\b/.test(headers["content-type"] ?? "");

// The plugin's default pace, one write per second and a comment every three, is too slow: a cancelled job has seven
// seconds for its last requests.
const now = {
  schedule: (_: unknown, work: (...given: unknown[]) => unknown, ...given: unknown[]) => work(...given),
};
const group = { key: () => now };
const unpaced = { global: group, auth: group, write: group, search: group, notifications: group };

interface Ends {
  readonly endsAt: number;
  readonly limitEndsAt: number;
}

/** Options that make the retry and throttling plugins follow the rules. */
export const repeatOptions = ({ secondMs }: RequestRules) => {
  // The host's `retry-after` is respected if the request's time allows.
  const isInTime = (seconds: number, { request }: { readonly request?: Partial<Ends> }) =>
    performance.now() + seconds * secondMs <= Math.max(request?.endsAt ?? 0, request?.limitEndsAt ?? 0);
  return {
    retry: { retries: 8, retryAfterBaseValue: secondMs },
    throttle: {
      ...unpaced,
      retryAfterBaseValue: secondMs,
      fallbackSecondaryRateRetryAfter: 5,
      onRateLimit: isInTime,
      onSecondaryRateLimit: isInTime,
    },
  };
};

/** True if another attempt is safe and there is time for it. */
function mayRepeat(error: unknown, options: Options, rules: RequestRules): boolean {
  const { status } = error as { readonly status?: number };
  if (rules.signal?.aborted || status === undefined || status < 500) return false;
  if (!isRepeatable(options)) return false;
  const { retryCount = 0, endsAt = 0 } = options.request as { retryCount?: number; endsAt?: number };
  return performance.now() + (retryCount + 1) ** 2 * rules.secondMs <= endsAt;
}

/** A POST may have been carried out; repeating is safe for content-addressed objects, tokens and queries. */
function isRepeatable({ method, url, query }: Options): boolean {
  if (method !== "POST") return true;
  if (/\/git\/(blobs|trees|commits)$|\/access_tokens$/.test(url)) return true;
  return url.endsWith("/graphql") && !/^\s*mutation\b/.test(String(query));
}

/**
 * The throttling plugin recognizes a secondary limit only by its message, which older hosts and proxies do not send.
 */
function sayLimit(error: unknown): unknown {
  if (!(error instanceof RequestError) || !isLimit(error)) return error;
  if (!/\bsecondary rate\b/i.test(error.message) && error.response?.headers["x-ratelimit-remaining"] !== "0")
    error.message = `${error.message} (taken as a secondary rate limit)`;
  return error;
}

const isLimit = ({ status, message, response }: RequestError) =>
  status === 429 ||
  (status === 403 &&
    (response?.headers["retry-after"] !== undefined || /rate limit|abuse detection/i.test(message)));
