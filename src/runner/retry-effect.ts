import type { LogEvent } from "../engine/log-events.ts";
import type { Effect } from "../engine/operation.ts";
import type { AgentFault } from "../ports/agent.ts";
import { type EffectContext, type EffectResult, performEffect } from "./perform-effect.ts";
import type { RunEnvironment } from "./run-environment.ts";

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

interface Attempted extends EffectResult {
  /** True if the next attempt uses the fallback, so no delay is needed. */
  readonly usesFallback: boolean;
}

/**
 * Performs attempts at an effect, counted from 1. The workflow's fallback takes over once the provider has failed
 * often enough, or asks for a longer wait than `patienceMs`.
 */
function withFallback(
  effect: Effect,
  environment: RunEnvironment,
  context: EffectContext,
): (attempt: number) => Promise<Attempted> {
  let fallback = fallbackFor(effect, context);
  let isFailing = false;
  return async (attempt) => {
    const replacement = isFailing ? fallback : undefined;
    const { event, retryAfterMs = 0 } = await performEffect(
      replacement?.effect ?? effect,
      environment,
      context,
    );
    if (replacement !== undefined && isUnusable(event)) {
      fallback = undefined;
      return { event: { ...event, final: false }, usesFallback: true };
    }
    if (replacement !== undefined)
      return { event: replacement.settle(event), retryAfterMs, usesFallback: false };
    const isTime = attempt >= (fallback?.after ?? Infinity) || retryAfterMs > context.patienceMs;
    if (fallback === undefined || event.type !== "need.failed" || event.final || !isTime)
      return { event, retryAfterMs, usesFallback: false };
    isFailing = true;
    return {
      event: { ...event, because: `${event.because}; asking ${fallback.name} instead` },
      usesFallback: true,
    };
  };
}

/** A call of another agent or model, while its own provider fails. */
interface FallbackCall {
  readonly after: number;
  readonly name: string;
  readonly effect: Effect;
  /** Adapts its answer: removes a conversation that the call's own agent cannot continue. */
  settle(event: LogEvent): LogEvent;
}

function fallbackFor(effect: Effect, { fallback, facts }: EffectContext): FallbackCall | undefined {
  if (effect.port !== "agent" || fallback === undefined) return undefined;
  const { after, by } = fallback;
  // An agent chosen by the user takes precedence.
  if (by.agent !== undefined && facts.agent !== undefined) return undefined;
  const { agent, model } = effect.ask;
  const isOther = by.agent !== undefined && by.agent !== agent;
  if (!isOther && (by.model === undefined || by.model === model)) return undefined;
  const ask = isOther
    ? { ...effect.ask, agent: by.agent, model: by.model, session: undefined }
    : { ...effect.ask, model: by.model };
  return {
    after,
    name: [by.agent, by.model].filter((name) => name !== undefined).join(" · "),
    // If the fallback cannot be called, the call's own agent still may be.
    effect: { ...effect, ask, hasOthers: true },
    settle(event) {
      if (!isOther || event.type !== "need.met" || event.port !== "agent") return event;
      const { session: _, ...answer } = event.answer;
      return { ...event, answer };
    },
  };
}

/** True if the agent cannot take the call: its program, key or credit is missing, or the conversation is too long. */
const isUnusable = (event: LogEvent): event is Extract<LogEvent, { readonly type: "need.failed" }> =>
  event.type === "need.failed" && event.final && unusable.has(event.fault);

const unusable: ReadonlySet<AgentFault | undefined> = new Set([
  "missing",
  "auth",
  "credit",
  "refused",
  "context",
] as const);
