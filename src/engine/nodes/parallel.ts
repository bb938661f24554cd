import type { ParallelNode } from "../../plan/plan.ts";
import { failed, type Outcome } from "../outcome.ts";
import { effectiveOutcomes } from "./graph-outcome.ts";
import type { NodeOperation } from "./node.ts";
import { runSequence } from "./sequence.ts";

/** Runs nodes in parallel. The enclosing scope keeps each output as `NODE.INNER`. */
export const parallel: NodeOperation<"parallel"> = function* ({ id, body, lists, agree }, context) {
  const outcomes = yield* runSequence(body, context);
  if (agree !== undefined) return consensusOf(agree, [...outcomes.values()]);
  const end = effectiveOutcomes(body, outcomes);
  if (end.status !== "completed") return end;
  const entries = body.nodes.flatMap((node) => {
    const outcome = outcomes.get(node.id);
    if (outcome?.status !== "completed") return [];
    context.shared?.outputs.set(`${id}.${node.id}`, outcome);
    return [{ [lists.id]: node.id, [lists.output]: outcome.output }];
  });
  const output = JSON.stringify(entries);
  return { status: "completed", output } satisfies Outcome;
};

type Rule = NonNullable<ParallelNode["agree"]>;

/** How many votes a rule requires, given the number of voters. */
const needed: Readonly<Record<Rule, (votes: number) => number>> = {
  unanimous: (votes) => votes,
  "2/3": (votes) => Math.ceil((votes * 2) / 3),
  majority: (votes) => Math.floor(votes / 2) + 1,
};

/** The answer that enough agents gave. A failed agent has no vote; at least two must have answered. */
function consensusOf(rule: Rule, outcomes: readonly Outcome[]): Outcome {
  const votes = outcomes.flatMap((outcome) => (outcome.status === "completed" ? [outcome.output] : []));
  const [failure] = outcomes.flatMap((outcome) => (outcome.status === "failed" ? [outcome] : []));
  if (votes.length < 2) {
    const why = failure === undefined ? "" : `: ${failure.because}`;
    return failed(
      failure?.reason ?? "node-failed",
      `${votes.length} of ${outcomes.length} agents answered${why}`,
    );
  }
  const byVote = Map.groupBy(votes, voteIn);
  const [most = []] = [...byVote.values()].sort((a, b) => b.length - a.length);
  if (most.length >= needed[rule](votes.length)) return { status: "completed", output: most[0] ?? "" };
  const message = `no consensus: ${most.length} of ${votes.length} answers agree, and \`${rule}\` is required`;
  return failed("node-failed", message, votes.join("\n\n---\n\n"));
}

/**
 * The vote of an answer: FAIL or SUCCESS if it contains one of these words, else all of it, ignoring case and
 * whitespace.
 */
function voteIn(answer: string): string {
  const text = answer.trim().replace(/\s+/g, " ").toUpperCase();
  if (text.includes("FAIL")) return "FAIL";
  return text.includes("SUCCESS") ? "SUCCESS" : text;
}
