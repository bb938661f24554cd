import type { AgentContext, AgentRequest } from "../../../ports/agent.ts";

/** Ends an answer that takes too long, falls silent or is no longer wanted. */
export interface Watch {
  readonly signal: AbortSignal;
  /** Why it was ended; `undefined` while it was not. */
  readonly why: "idle" | "timeout" | "aborted" | undefined;
  /** Something was heard. */
  heard(): void;
  release(): void;
}

/** Node fires a longer timer at once. */
const longestTimer = 2 ** 31 - 1;

export function openWatch({ idleMs, timeoutMs }: AgentRequest, { signal }: AgentContext): Watch {
  const halt = new AbortController();
  let why: Watch["why"];
  const stop = (reason: NonNullable<Watch["why"]>) => {
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
    heard: () => {
      if (why === undefined) timers[0]?.refresh();
    },
    release() {
      for (const one of timers) clearTimeout(one);
      signal.removeEventListener("abort", abort);
    },
  };
}
