import type { LogEvent } from "../engine/log-events.ts";
import type { Effect } from "../engine/operation.ts";
import { type EffectContext, type EffectResult, performEffect } from "./perform-effect.ts";
import type { RunEnvironment } from "./run-environment.ts";

interface Attempted extends EffectResult {
  /** Whether the next attempt asks somebody else, who need not be waited for. */
  readonly asksAnother: boolean;
}

/** Performs attempts at an effect, counted from 1: by the workflow's fallback once the provider has failed so often, or asks for a wait beyond patience. */
export function withFallback(
  effect: Effect,
  environment: RunEnvironment,
  context: EffectContext,
): (attempt: number) => Promise<Attempted> {
  let fallback = fallbackFor(effect, context);
  let isFailing = false;
  return async (attempt) => {
    const asked = isFailing ? fallback : undefined;
    const { event, retryAfterMs = 0 } = await performEffect(asked?.effect ?? effect, environment, context);
    if (asked !== undefined && isUnusable(event)) {
      fallback = undefined;
      return { event: { ...event, final: false }, asksAnother: true };
    }
    if (asked !== undefined) return { event: asked.settle(event), retryAfterMs, asksAnother: false };
    const isTime = attempt >= (fallback?.after ?? Infinity) || retryAfterMs > context.patienceMs;
    if (fallback === undefined || event.type !== "need.failed" || event.final || !isTime)
      return { event, retryAfterMs, asksAnother: false };
    isFailing = true;
    return {
      event: { ...event, because: `${event.because}; asking ${fallback.name} instead` },
      asksAnother: true,
    };
  };
}

/** Another agent or model for a call whose provider fails. */
interface FallbackCall {
  readonly after: number;
  readonly name: string;
  readonly effect: Effect;
  /** Its answer, without a conversation that the call's own agent cannot continue. */
  settle(event: LogEvent): LogEvent;
}

function fallbackFor(effect: Effect, { fallback, facts }: EffectContext): FallbackCall | undefined {
  if (effect.port !== "agent" || fallback === undefined) return undefined;
  const { after, by } = fallback;
  // The user's choice of agent counts more.
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
    // Where it cannot be asked, the call's own agent still may.
    effect: { ...effect, ask, hasOthers: true },
    settle(event) {
      if (!isOther || event.type !== "need.met" || event.port !== "agent") return event;
      const { session: _, ...answer } = event.answer;
      return { ...event, answer };
    },
  };
}

/** Whether an agent could not be asked at all: its program, key or credit is missing. */
const isUnusable = (event: LogEvent): event is Extract<LogEvent, { readonly type: "need.failed" }> =>
  event.type === "need.failed" && event.final && ["missing", "credit", "refused"].includes(event.fault ?? "");
