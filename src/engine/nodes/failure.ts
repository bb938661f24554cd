import { UnresolvedError } from "../../expr/scope.ts";
import { Unmet } from "../flow.ts";
import { type Failed, failed } from "../outcome.ts";

/** What a flow threw, as the failure of its node; a defect is thrown on. */
export function failureOf(error: unknown): Failed {
  if (error instanceof Unmet) {
    return { ...failed(error.reason, error.message), transient: error.transient };
  }
  if (error instanceof UnresolvedError) return failed("node-failed", error.message);
  throw error;
}
