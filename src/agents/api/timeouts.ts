import type { AgentContext, AgentRequest } from "../../ports/agent.ts";
import { longestTimer } from "../../ports/clock.ts";

/** Ends an answer that takes too long, falls silent or is aborted. */
export interface AbortWatch {
  readonly signal: AbortSignal;
  /** Why it was ended; `undefined` if it was not. */
  readonly why: "idle" | "timeout" | "aborted" | undefined;
  /** Call it for every sign of activity. */
  onOutput(): void;
  release(): void;
}

export function openAbortWatch({ idleMs, timeoutMs }: AgentRequest, { signal }: AgentContext): AbortWatch {
  const halt = new AbortController();
  let why: AbortWatch["why"];
  const stop = (reason: NonNullable<AbortWatch["why"]>) => {
    if (why !== undefined) return;
    why = reason;
    halt.abort(reason === "aborted" ? signal.reason : new Error(reason));
  };
  const timer = (ms: number | undefined, reason: "idle" | "timeout") =>
    ms === undefined || ms > longestTimer ? undefined : setTimeout(() => stop(reason), ms);
  const timers = [timer(idleMs, "idle"), timer(timeoutMs, "timeout")] as const;
  const abort = () => stop("aborted");
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  return {
    signal: halt.signal,
    get why() {
      return why;
    },
    onOutput: () => {
      if (why === undefined) timers[0]?.refresh();
    },
    release() {
      for (const one of timers) clearTimeout(one);
      signal.removeEventListener("abort", abort);
    },
  };
}
