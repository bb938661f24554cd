import type { LogEvent } from "../engine/log-events.ts";
import type { Effect } from "../engine/operation.ts";
import { type EffectContext, type EffectResult, performEffect } from "./perform-effect.ts";
import type { RunEnvironment } from "./run-environment.ts";

interface Attempted extends EffectResult {
  /** True if the next attempt uses the fallback, so no delay is needed. */
  readonly usesFallback: boolean;
}

/**
 * Performs attempts at an effect, counted from 1. The workflow's fallback takes over once the provider has failed
 * often enough, or asks for a longer wait than `patienceMs`.
 */
export function withFallback(
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

/** True if the agent could not be called at all: its program, key or credit is missing. */
const isUnusable = (event: LogEvent): event is Extract<LogEvent, { readonly type: "need.failed" }> =>
  event.type === "need.failed" && event.final && ["missing", "credit", "refused"].includes(event.fault ?? "");
