import { askAgent } from "./agent-request.ts";
import { previousConversation, withDigest } from "./continued-conversation.ts";
import type { NodeOperation } from "./node.ts";
import { outcomeOfAnswer } from "./node-outcome.ts";
import { passFailOutcome } from "./pass-fail-judge.ts";
import { chosenAgent, ofAttempt } from "./resolve-agent.ts";

export const agent: NodeOperation<"agent"> = function* (node, context) {
  if (node.judges !== undefined) return yield* passFailOutcome(node, context, node.judges);
  const { id } = node;
  const call = ofAttempt(node.call, context);
  const before = previousConversation(call, context);
  const agent = chosenAgent(call, context);
  const isSameAgent = before !== undefined && before.agent === agent;
  const answer = yield* askAgent(
    before === undefined || isSameAgent ? call : withDigest(call, before),
    context,
    {
      node: id,
      session: isSameAgent ? before.session : undefined,
    },
  );
  const { session } = answer;
  return {
    ...outcomeOfAnswer(answer),
    ...(session === undefined ? {} : { conversation: { agent, session } }),
  };
};
