import { asText, isObject, jsonOrText } from "../../expressions/output-value.ts";
import type { AgentCall, AgentNode } from "../../plan/plan.ts";
import { defined } from "../../ports/defined.ts";
import { dataBlock } from "../../stops/untrusted-block.ts";
import type { ExecutionContext } from "../execution-context.ts";
import type { Operation } from "../operation.ts";
import { type Conversation, failed, type Outcome } from "../outcome.ts";
import { scopeAt } from "../scope.ts";
import { truncateBytes } from "../truncate.ts";
import { askAgent } from "./agent-request.ts";
import type { NodeOperation } from "./node.ts";
import { outcomeOfAnswer } from "./node-outcome.ts";
import { chosenAgent, ofAttempt } from "./resolve-agent.ts";

export const agent: NodeOperation<"agent"> = function* (node, context) {
  if (node.judges !== undefined) return yield* passFailOutcome(node, context, node.judges);
  const { id } = node;
  const call = ofAttempt(node.call, context);
  const before = previousConversation(call, context);
  const agent = chosenAgent(call, context);
  const isSameAgent = before !== undefined && before.agent === agent;
  const continued = before === undefined || isSameAgent ? call : withDigest(call, before);
  const session = isSameAgent ? before.session : undefined;
  const answer = yield* askAgent(continued, context, { node: id, session });
  const conversation = answer.session === undefined ? undefined : { agent, session: answer.session };
  return { ...outcomeOfAnswer(answer), ...defined({ conversation }) };
};

const maxDigestBytes = 4096;

/** The conversation that a call continues, and the node it comes from. */
interface PreviousConversation extends Conversation {
  readonly node: string;
  readonly output: string;
}

/** The latest conversation before a call, if the call continues one. */
function previousConversation(
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
function withDigest(call: AgentCall, { agent, node, output }: PreviousConversation): AgentCall {
  const head = `## Before you, ${agent ?? "another agent"} answered to \`${node}\``;
  return { ...call, prompt: [`${head}\n${truncateBytes(output, maxDigestBytes)}\n\n`, ...call.prompt] };
}

/** Asks an agent whether a node's output is good enough. The first line of its answer chooses the gate's exit. */
function* passFailOutcome(
  { id, call }: AgentNode,
  context: ExecutionContext,
  { node, field, value }: NonNullable<AgentNode["judges"]>,
): Operation<Outcome> {
  const judged = context.outcome(node);
  const stored = judged?.status === "completed" ? judged.output : undefined;
  const output = value === undefined ? stored : scopeAt(context).text(value);
  if (output === undefined) return failed("node-failed", `${id} judges ${node}, which has no output yet`);
  const shown = ["\n\n", dataBlock(`output-of-${node}`, output)];
  const { text } = yield* askAgent({ ...call, prompt: [...call.prompt, ...shown] }, context, { node: id });
  const [line = ""] = text.trim().split(/\r\n|[\n\r]/);
  const passes = /^[*_`]*pass/i.test(line);
  if (!passes) return { status: "completed", output: line.trim(), exit: "fail" };
  return { status: "completed", output: lastField(output, field) ?? line.trim(), exit: "pass" };
}

/** One field of the last entry, if the output to judge is a list. */
function lastField(output: string, field: string | undefined): string | undefined {
  const list = field === undefined ? undefined : jsonOrText(output);
  const last = Array.isArray(list) ? list.at(-1) : undefined;
  if (field === undefined || !isObject(last) || !Object.hasOwn(last, field)) return undefined;
  return asText(last[field] ?? null);
}
