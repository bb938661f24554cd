import type { ModelMessage } from "ai";
import type { AgentAnswer, AgentContext, AgentRequest } from "../../ports/agent.ts";
import { digest, shortened, stepOf } from "../cli/conversation-summary.ts";
import { aboutOf } from "../tool-input.ts";
import { type CutOffTurn, goOnPrompt } from "../turn-record.ts";
import { type Conversation, openConversation } from "./conversation.ts";

/** The start of a turn of `api`. */
export interface ApiTurn {
  readonly conversation: Conversation;
  /** `undefined` if the model must continue without a new prompt. */
  readonly prompt: string | undefined;
  /** Number of messages before the turn. */
  readonly from: number;
  /** The model's loop tool calls before the turn was interrupted. */
  readonly partial: Partial<AgentAnswer>;
  readonly notices: NonNullable<AgentAnswer["notices"]>;
}

interface TurnCall {
  readonly request: AgentRequest;
  readonly context: Pick<AgentContext, "artifacts">;
}

/** Continues the interrupted turn, if any; else starts one. */
export function openTurn({ request, context }: TurnCall, cutOff: CutOffTurn | undefined): ApiTurn {
  const conversation = openConversation(context.artifacts, cutOff?.session ?? request.session);
  const { length } = conversation.messages();
  const last = conversation.messages().at(-1);
  // A turn that was cut off before its first answer left nothing, not even its prompt.
  if (cutOff === undefined || last === undefined || length <= (cutOff.from ?? 0))
    return { conversation, prompt: request.prompt, from: length, partial: {}, notices: [] };
  const message = `api continues its turn where it was cut off (${cutOff.because})`;
  return {
    conversation,
    prompt: last.role === "assistant" ? goOnPrompt(cutOff.because) : undefined,
    from: cutOff.from ?? 0,
    partial: cutOff.told,
    notices: [{ code: "TURN_CONTINUED", message }],
  };
}

/** The turn in a new conversation, which starts with a digest of the one that exceeded the model's window. */
export function turnAfterOverflow(
  { conversation, partial, notices }: ApiTurn,
  { request, context }: TurnCall,
): ApiTurn {
  const before = digest(exchangesIn(conversation.messages()));
  const full = "the conversation was longer than the model takes: a new one continues from a digest";
  return {
    conversation: openConversation(context.artifacts, undefined),
    prompt: [before, request.prompt].filter((text) => text !== "").join("\n\n"),
    from: 0,
    partial,
    notices: [...notices, { code: "CONTEXT_FULL", message: full }],
  };
}

/** Each prompt, with the model's messages and tool calls up to the next one. */
function exchangesIn(messages: readonly ModelMessage[]) {
  const exchanges: { asked: string; answered: string; steps: string[] }[] = [];
  for (const message of messages) {
    const text = textIn(message);
    if (message.role === "user") exchanges.push({ asked: shortened(text), answered: "", steps: [] });
    const last = exchanges.at(-1);
    if (message.role === "assistant" && last !== undefined && text !== "")
      last.answered = shortened(last.answered === "" ? text : `${last.answered}\n${text}`);
    if (message.role === "assistant") last?.steps.push(...stepsIn(message));
  }
  return exchanges;
}

const stepsIn = ({ content }: ModelMessage): readonly string[] =>
  typeof content === "string"
    ? []
    : content.flatMap((part) =>
        part.type === "tool-call" ? [stepOf(part.toolName, aboutOf(part.input))] : [],
      );

const textIn = ({ content }: ModelMessage): string =>
  typeof content === "string"
    ? content
    : content.map((part) => (part.type === "text" ? part.text : "")).join("");
