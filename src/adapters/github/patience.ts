import { setTimeout as wait } from "node:timers/promises";

/** A request, as the client puts it: its route's fields by name. */
export type Asked = Readonly<Record<string, unknown>>;

/** What came instead of an answer. */
export interface Failure {
  /** 0 where none came. */
  readonly status: number;
  readonly message: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

interface Way {
  readonly method: string;
  readonly patienceMs: number;
}

/**
 * Tries again what may go better later, within bounds. What was refused for being too much is tried again when the host
 * says; what failed on the way only where asking twice does no more than asking once: a POST may have been carried out.
 */
export async function persist<T>(
  send: () => Promise<T> | T,
  { method, patienceMs }: Way,
  refusal: (failure: Failure) => Error,
): Promise<T> {
  const end = performance.now() + patienceMs;
  for (let pause = 500; ; pause *= 2) {
    try {
      return await send();
    } catch (error) {
      const failure = failureOf(error);
      const ms = waitFor(failure, method, pause);
      if (ms === undefined || performance.now() + ms > end) throw refusal(failure);
      await wait(ms);
    }
  }
}

/** How long to wait before the next try, in milliseconds; `undefined` for never. */
function waitFor({ status, message, headers }: Failure, method: string, pause: number): number | undefined {
  const isLimit = status === 429 || (status === 403 && /rate limit|abuse detection/i.test(message));
  if (isLimit) return limitEnd(headers) ?? Math.max(pause, 5_000);
  const isPassing = status === 0 || status >= 500;
  return isPassing && method !== "POST" ? pause : undefined;
}

function limitEnd(headers: Failure["headers"]): number | undefined {
  const after = Number(headers["retry-after"]);
  if (after >= 0) return after * 1_000;
  const reset = Number(headers["x-ratelimit-reset"]);
  return headers["x-ratelimit-remaining"] === "0" && reset > 0
    ? Math.max(0, reset * 1_000 - Date.now()) + 1_000
    : undefined;
}

/** Of an error only what may be shown: the client's own holds the request, with the token. */
function failureOf(error: unknown): Failure {
  const { status, message, response, cause } = error as {
    readonly status?: unknown;
    readonly message?: unknown;
    readonly cause?: { readonly message?: unknown };
    readonly response?: { readonly headers?: Failure["headers"] };
  };
  const isAnswer = typeof status === "number" && response !== undefined;
  const why = isAnswer ? message : (cause?.message ?? message);
  return {
    status: isAnswer ? status : 0,
    message: typeof why === "string" && why !== "" ? why : "the connection broke",
    headers: response?.headers ?? {},
  };
}
