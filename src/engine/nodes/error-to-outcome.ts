import { UnresolvedError } from "../../expressions/scope.ts";
import { EffectFailedError } from "../operation.ts";
import { type Failed, failed } from "../outcome.ts";

/** Turns what an operation threw into its node's failure; rethrows defects. */
export function failureOf(error: unknown): Failed {
  if (error instanceof EffectFailedError) {
    return { ...failed(error.reason, error.message), transient: error.transient };
  }
  if (error instanceof UnresolvedError) return failed("node-failed", error.message);
  throw error;
}
