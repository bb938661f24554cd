import type { ExecutionContext } from "../execution-context.ts";
import { type Operation, perform } from "../operation.ts";
import { failed, type Outcome } from "../outcome.ts";
import { sideEffectPath } from "../path.ts";

const path = "evidence.json";

/** Fails a workflow that requires evidence if none is among its artifacts. */
export function* requireEvidence(outcome: Outcome, context: ExecutionContext): Operation<Outcome> {
  if (context.plan.needsEvidence !== true || outcome.status !== "completed") return outcome;
  const ask = { path, of: "artifacts", most: 16 * 1024 * 1024 } as const;
  const read = yield* perform("file", sideEffectPath(context.path, "evidence"), { ask });
  if ("text" in read) return outcome;
  const message = `evidence_policy requires $ARTIFACTS_DIR/${path}, and ${read.because}: let a node write it`;
  return failed("node-failed", message, outcome.output);
}
