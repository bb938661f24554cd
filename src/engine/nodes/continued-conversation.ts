import type { AgentCall } from "../../plan/plan.ts";
import type { ExecutionContext } from "../execution-context.ts";
import type { Conversation } from "../outcome.ts";
import { truncateBytes } from "../truncate.ts";

const maxDigestBytes = 4096;

/** The conversation that a call continues, and the node it comes from. */
export interface PreviousConversation extends Conversation {
  readonly node: string;
  readonly output: string;
}

/** The latest conversation before a call, if the call continues one. */
export function previousConversation(
  { continues = [] }: AgentCall,
  context: ExecutionContext,
): PreviousConversation | undefined {
  for (const node of continues) {
    const outcome = context.outcome(node);
    if (outcome?.status !== "completed" || outcome.conversation === undefined) continue;
    return { ...outcome.conversation, node, output: outcome.output };
  }
  return undefined;
}

/** Puts another agent's answer in front of the prompt: a conversation cannot move from one program to another. */
export function withDigest(call: AgentCall, { agent, node, output }: PreviousConversation): AgentCall {
  const head = `## Before you, ${agent ?? "another agent"} answered to \`${node}\``;
  return { ...call, prompt: [`${head}\n${truncateBytes(output, maxDigestBytes)}\n\n`, ...call.prompt] };
}
