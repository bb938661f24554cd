import type { ReviewReason } from "../ports/review-reason.ts";
import type { ExecutionContext } from "./execution-context.ts";
import type { Outcome } from "./outcome.ts";

/** True if a gate must ask about green work: it is not reviewed elsewhere, and is not just one of several attempts. */
export const needsApproval = (outcome: Outcome, context: ExecutionContext): boolean =>
  outcome.status === "completed" &&
  outcome.review !== undefined &&
  context.facts.reviewed_in === undefined &&
  context.attempt === undefined;

/** A reason for a review as one sentence. Names in it may come from an agent. */
export const reasonText = (reason: ReviewReason, code: (name: string) => string = (name) => name): string =>
  reason.kind === "protected-file"
    ? `${code(reason.file)} is protected, and the check passes only with its change.`
    : `${reason.because[0]?.toUpperCase()}${reason.because.slice(1)}.`;

/** What a person is asked about green work; empty if there is nothing to ask. */
export function reviewText(review: readonly ReviewReason[]): string {
  if (review.length === 0) return "";
  const shown = review.slice(0, 20).map((reason) => `- ${reasonText(reason)}`);
  const more = review.length > shown.length ? [`- … ${review.length - shown.length} more`] : [];
  return ["The check passes, but please look at this first:", ...shown, ...more].join("\n");
}

/** The changes that the reasons are about. */
export const patchOf = (review: readonly ReviewReason[]): string =>
  review.flatMap((reason) => (reason.kind === "protected-file" ? (reason.patch ?? []) : [])).join("\n");
