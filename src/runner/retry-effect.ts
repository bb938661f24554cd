import type { LogEvent } from "../engine/log-events.ts";
import type { Effect } from "../engine/operation.ts";
import type { AgentFault } from "../ports/agent.ts";
import type { EffectContext } from "./perform-effect.ts";
import type { RunEnvironment } from "./run-environment.ts";
import { withFallback } from "./with-fallback.ts";

/** An effect that waiting in this process does not help: it is performed when the run is resumed. */
export interface Postponed {
  readonly reason: "rate-limit" | "outage";
  /** When to resume, in ISO 8601. */
  readonly wakeAt: string;
}

/** How long one effect is retried in this process while a provider has errors, in milliseconds. */
export const usualPatienceMs = 30 * 60_000;

const firstWaitMs = 1_000;
const longestWaitMs = 60_000;
/** Minimum and maximum pause of a run before it retries a provider. */
const outageMs = 15 * 60_000;
const longestRestMs = 24 * 60 * 60_000;

/**
 * Performs an effect, and retries it after temporary errors. Every event is passed to `arrive`; the last one is
 * final. After the configured number of failures, a fallback of the workflow answers instead. Delays double each
 * time, with jitter so that many runs do not retry at the same time, and are at least as long as the provider asks.
 * If the provider accepts no requests before `patienceMs` has passed, the effect is postponed.
 */
export async function performWithRetry(
  effect: Effect,
  environment: RunEnvironment,
  context: EffectContext,
): Promise<Postponed | undefined> {
  const { arrive } = context;
  const end = Date.parse(environment.clock.now()) + context.patienceMs;
  const perform = withFallback(effect, environment, context);
  for (let attempt = 1; ; attempt++) {
    const over = effect.port === "agent" ? context.usedUp() : undefined;
    if (over !== undefined) return void arrive(outOfBudget(effect, environment, over));
    const { event, retryAfterMs, usesFallback: asksAnother } = await perform(attempt);
    if (event.type !== "need.failed" || event.final) return void arrive(event);
    if (asksAnother) {
      arrive(event);
      continue;
    }
    const now = Date.parse(environment.clock.now());
    const backoff = Math.min(firstWaitMs * 2 ** (attempt - 1), longestWaitMs) * (0.8 + Math.random() * 0.4);
    const advised = Math.min(retryAfterMs ?? 0, longestRestMs);
    const wait = Math.max(advised, backoff);
    if (now + wait > end) {
      const wakeAt = isoAt(now + Math.max(advised, outageMs));
      arrive({ ...event, because: `${event.because}; pausing until ${wakeAt}` });
      return { reason: reasonOf(event.fault), wakeAt };
    }
    const shown = `trying again in ${Math.ceil(wait / 1_000)} s, until ${isoAt(end)}`;
    arrive({ ...event, because: `${event.because}; ${shown}` });
    await environment.clock.sleep(wait, context.signal);
  }
}

const reasonOf = (fault: AgentFault | undefined) => (fault === "rate-limit" ? fault : "outage");

const isoAt = (ms: number) => new Date(ms).toISOString();

/** The call is not retried. Recorded with fault `timeout`. */
const outOfBudget = ({ path }: Effect, { clock }: RunEnvironment, reason: string): LogEvent => ({
  type: "need.failed",
  at: clock.now(),
  path,
  because: reason,
  fault: "timeout",
  final: true,
});
