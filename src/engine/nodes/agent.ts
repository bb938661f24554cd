import { askAgent } from "./agent-request.ts";
import { previousConversation, withDigest } from "./continued-conversation.ts";
import type { NodeFlow } from "./node.ts";
import { outcomeOfAnswer } from "./node-outcome.ts";
import { passFailOutcome } from "./pass-fail-judge.ts";
import { chosenAgent, ofAttempt } from "./resolve-agent.ts";

export const agent: NodeFlow<"agent"> = function* (node, here) {
  if (node.judges !== undefined) return yield* passFailOutcome(node, here, node.judges);
  const { id } = node;
  const call = ofAttempt(node.call, here);
  const before = previousConversation(call, here);
  const agent = chosenAgent(call, here);
  const goesOn = before !== undefined && before.agent === agent;
  const answer = yield* askAgent(before === undefined || goesOn ? call : withDigest(call, before), here, {
    node: id,
    session: goesOn ? before.session : undefined,
  });
  const { session } = answer;
  return {
    ...outcomeOfAnswer(answer),
    ...(session === undefined ? {} : { conversation: { agent, session } }),
  };
};
