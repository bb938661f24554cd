import type { IncomingMessage } from "node:http";
import type { Admission, Usage } from "../ports/agent.ts";
import type { KeyLeaseRequest } from "./lease.ts";
import type { Meter } from "./usage-meter.ts";

type Paying = Pick<KeyLeaseRequest, "spending" | "price">;

/**
 * Asks whether a request may be sent; only requests to a model cost anything. Only the first call of `settle` counts.
 */
export async function admit(
  { method, headers }: IncomingMessage,
  { spending, price }: Paying,
  signal: AbortSignal,
): Promise<Admission> {
  if (spending === undefined || method !== "POST") return free;
  const input_tokens = Math.ceil(Number(headers["content-length"] ?? 0) / bytesPerToken);
  const cost_usd = price?.(undefined, { input_tokens, output_tokens: 0, cost_usd: 0 }) ?? 0;
  const { refused, settle } = await spending.admit({ input_tokens, cost_usd }, signal);
  let isSettled = false;
  return {
    refused,
    settle(used) {
      if (!isSettled) settle(used);
      isSettled = true;
    },
  };
}

const free: Admission = { refused: undefined, settle: () => undefined };

/** JSON with source code has about this many characters per token. */
const bytesPerToken = 4;

/** The usage of an answer, with a price if the endpoint reports none. */
export function priced({ price }: Paying, meter: Meter): Usage | undefined {
  const used = meter.usage();
  if (used === undefined || used.cost_usd > 0) return used;
  return { ...used, cost_usd: price?.(meter.model(), used) ?? 0 };
}
