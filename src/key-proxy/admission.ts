import type { IncomingMessage } from "node:http";
import { addUsage, noUsage, type Usage } from "../ports/agent.ts";
import type { KeyLeaseRequest } from "./lease.ts";
import type { LeaseState } from "./lease-state.ts";
import type { Meter } from "./usage-meter.ts";

/** What one request costs. It is paid once: only the first call of `pay` or `waive` counts. */
export interface Charge {
  /** Why the request must not be sent; `undefined` if it may be. */
  readonly refused: string | undefined;
  /** Counts bytes of the request. */
  sent(bytes: number): void;
  /** The answer has begun: it is paid by what this meter reads. */
  answered(meter: Meter): void;
  /** Pays for the answer as far as it got. */
  pay(): void;
  /** Ends a request that the endpoint did not answer, or refused. */
  waive(): void;
}

/** Asks whether a request may be sent; only requests to a model cost anything. */
export async function admit(
  { method, headers, url = "" }: IncomingMessage,
  account: LeaseState,
  signal: AbortSignal,
): Promise<Charge> {
  const { spending, price } = account;
  const admission =
    spending === undefined || method !== "POST"
      ? undefined
      : await spending.admit(expected(headers["content-length"], price), signal);
  const isEstimated = method === "POST" && !onlyCounts.test(url);
  let [bytes, isSettled] = [0, false];
  let meter: Meter | undefined;
  const settle = (used: Usage | undefined) => {
    if (isSettled) return;
    isSettled = true;
    if (used !== undefined) account.usage = addUsage(account.usage ?? noUsage, used);
    admission?.settle(used);
  };
  return {
    refused: admission?.refused,
    sent(more) {
      bytes += more;
    },
    answered(by) {
      meter = by;
    },
    pay: () => settle(priced(account, meter, isEstimated ? estimate(bytes, meter) : undefined)),
    waive: () => settle(undefined),
  };
}

/** Requests that are free: they count tokens, and no model answers. */
const onlyCounts = /(?:\/count_tokens|\/input_tokens|:countTokens)(?:\?|$)/;

const tokensIn = (bytes: number) => Math.ceil(bytes / bytesPerToken);

/** JSON with source code has about this many characters per token. */
const bytesPerToken = 4;

function expected(length: string | undefined, price: KeyLeaseRequest["price"]) {
  const input_tokens = tokensIn(Number(length ?? 0));
  const cost_usd = price?.(undefined, { input_tokens, output_tokens: 0, cost_usd: 0 }) ?? 0;
  return { input_tokens, cost_usd };
}

/**
 * The agent decides whether a stream reports its usage, and may hang up before it does. What is not reported is
 * therefore counted by its length.
 */
function estimate(bytes: number, meter: Meter | undefined): Usage {
  const counted = {
    input_tokens: tokensIn(bytes),
    output_tokens: tokensIn(meter?.bytes() ?? 0),
    cost_usd: 0,
  };
  const reported = meter?.usage();
  if (reported === undefined || reported.input_tokens + reported.output_tokens === 0) return counted;
  if (meter?.isWhole()) return reported;
  return { ...reported, output_tokens: Math.max(reported.output_tokens, counted.output_tokens) };
}

/** The usage of an answer, with a price if the endpoint reports none. */
function priced(
  { price }: Pick<KeyLeaseRequest, "price">,
  meter: Meter | undefined,
  used: Usage | undefined = meter?.usage(),
): Usage | undefined {
  if (used === undefined || used.cost_usd > 0) return used;
  return { ...used, cost_usd: price?.(meter?.model(), used) ?? 0 };
}
