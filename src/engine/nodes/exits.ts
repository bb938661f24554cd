import { testsHold } from "../../expr/field-tests.ts";
import { searches } from "../../expr/pattern.ts";
import type { Node } from "../../plan/plan.ts";
import type { ExitRule } from "../../plan/walk.ts";
import type { Outcome } from "../outcome.ts";
import { isFinal } from "./attempts.ts";

/** A node's end with the exit it leaves by: its own, or what its rules make of its output. */
export function leavingBy(node: Node, outcome: Outcome): Outcome {
  if (outcome.status === "failed" && node.catches !== undefined && !isFinal(outcome)) {
    return caught(outcome.because, node.catches);
  }
  if (outcome.status !== "completed" || outcome.exit !== undefined) return outcome;
  const rule = node.exits?.find((it) => applies(it, outcome.output));
  return rule === undefined ? outcome : { ...outcome, exit: rule.exit };
}

/** How a failure that somebody takes care of looks to the nodes after it. */
export const caught = (because: string, exit: string): Extract<Outcome, { status: "completed" }> => ({
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
