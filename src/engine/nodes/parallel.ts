import type { Outcome } from "../outcome.ts";
import type { NodeFlow } from "./node.ts";
import { settled } from "./sink.ts";
import { tellNodes } from "./walk.ts";

/** Nodes side by side. The scope around them keeps what each gave, as `NODE.INNER`. */
export const parallel: NodeFlow<"parallel"> = function* ({ id, body, lists }, here) {
  const outcomes = yield* tellNodes(body, here);
  const end = settled(body, outcomes);
  if (end.status !== "completed") return end;
  const entries = body.nodes.flatMap((node) => {
    const outcome = outcomes.get(node.id);
    if (outcome?.status !== "completed") return [];
    here.shared?.outputs.set(`${id}.${node.id}`, outcome);
    return [{ [lists.id]: node.id, [lists.output]: outcome.output }];
  });
  const output = JSON.stringify(entries);
  return { status: "completed", output } satisfies Outcome;
};
