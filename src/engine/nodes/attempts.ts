import type { Node, Retry } from "../../plan/plan.ts";
import { type Flow, need, tell } from "../flow.ts";
import type { Here } from "../here.ts";
import type { Failed, Outcome } from "../outcome.ts";
import { attemptOf, besides } from "../path.ts";
import { keepShared } from "../shared.ts";
import { failureOf } from "./failure.ts";

/** Tells a node's work, again where it failed and its author lets it be tried again. */
export function* attempts(node: Node, here: Here): Flow<Outcome> {
  const { retry } = node;
  const putBack = keepShared(retry && here.shared);
  let last: Failed | undefined;
  for (let attempt = 1; ; attempt++) {
    const path = attemptOf(here.path, attempt);
    const outcome = yield* attemptAt(node, { ...here, path });
    if (outcome.status !== "failed" || retry === undefined || attempt > retry.times) {
      if (outcome.status === "completed" && last) leave(retry, here, { attempt, last });
      return outcome;
    }
    if (!mayRetry(outcome, retry.on)) return outcome;
    last = outcome;
    putBack();
    yield* tell({ type: "node.retried", path: here.path, attempt: attempt + 1, reason: outcome.because });
    const ms = retry.delayMs * (retry.grows ? 2 ** (attempt - 1) : 1);
    if (ms > 0) yield* need("timer", besides(path, "delay"), { ask: { ms } });
  }
}

const final = new Set(["budget", "rejected", "tampered", "internal"]);

/** Whether nothing in a workflow may pass over a failure. */
export const isFinal = ({ reason }: Failed): boolean => final.has(reason);

const mayRetry = (failure: Failed, on: "transient" | "all") =>
  !isFinal(failure) &&
  (on === "all" || failure.transient === true || failure.reason === "timeout" || failure.reason === "idle");

/** One attempt, with whatever it throws turned into how the node ended. */
function* attemptAt(node: Node, here: Here): Flow<Outcome> {
  try {
    return yield* here.tellNode(node, here);
  } catch (error) {
    return failureOf(error);
  }
}

/** Notes in the memory how many attempts it took. */
function leave(
  retry: Retry | undefined,
  { shared }: Here,
  { attempt, last }: { readonly attempt: number; readonly last: Failed },
): void {
  if (retry?.leaves === undefined) return;
  const { name, fields } = retry.leaves;
  const said = {
    attempt,
    most: retry.times + 1,
    retries: attempt - 1,
    because: last.because,
    reason: last.reason,
  };
  const remark = Object.entries(said).flatMap(([key, value]) => {
    const field = fields[key];
    return field === undefined ? [] : [[field, value] as const];
  });
  shared?.memory.set(name, Object.fromEntries(remark));
}
