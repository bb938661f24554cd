import type { Outcome } from "../outcome.ts";
import { consensusOf } from "./consensus.ts";
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
