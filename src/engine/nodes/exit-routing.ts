import { testsHold } from "../../expressions/field-tests.ts";
import { searches } from "../../expressions/pattern.ts";
import type { Node } from "../../plan/plan.ts";
import type { ExitRule } from "../../plan/sequence.ts";
import type { Outcome } from "../outcome.ts";
import { isFinal } from "./retry.ts";

/** A node's outcome with its exit: its own, or the one its rules derive from its output. */
export function withExit(node: Node, outcome: Outcome): Outcome {
  if (outcome.status === "failed" && node.catches !== undefined && !isFinal(outcome)) {
    return asCaughtFailure(outcome.because, node.catches);
  }
  if (outcome.status !== "completed" || outcome.exit !== undefined) return outcome;
  const rule = node.exits?.find((it) => applies(it, outcome.output));
  return rule === undefined ? outcome : { ...outcome, exit: rule.exit };
}

/** How a caught failure looks to the nodes after it. */
export const asCaughtFailure = (
  because: string,
  exit: string,
): Extract<Outcome, { status: "completed" }> => ({
  status: "completed",
  output: `Error: ${because}`,
  exit,
});

function applies({ contains, matches, tests }: ExitRule, output: string): boolean {
  if (contains === undefined && matches === undefined && tests === undefined) return true;
  return (
    (contains !== undefined && output.includes(contains)) ||
    (matches !== undefined && searches(matches, output)) ||
    (tests !== undefined && testsHold(tests, output))
  );
}
