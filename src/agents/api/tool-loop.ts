import type { ModelMessage, TextStreamPart, ToolSet } from "ai";
import type { KeyLease } from "../../key-proxy/lease.ts";
import { AgentError, type AgentRequest } from "../../ports/agent.ts";
import { modelNamed, sizesOf } from "../models.ts";
import type { Conversation } from "./conversation.ts";
import { callSettings, instructionsFor, messagesFor, openModel } from "./language-model.ts";
import type { ModelRoute } from "./provider.ts";
import { isOver, pruneContext } from "./prune-context.ts";
import type { SystemPrompt } from "./system-prompt.ts";
import { modelOutputOf, type ToolSetRequest, toolSetFor } from "./tool-set.ts";
import { validMessages } from "./valid-messages.ts";

/** The parameters of one answer. */
export interface ToolLoopRequest extends ToolSetRequest {
  readonly request: Pick<AgentRequest, "role" | "tools" | "settings">;
  readonly route: ModelRoute;
  readonly lease: KeyLease;
  readonly conversation: Conversation;
  readonly instructions: SystemPrompt;
  /** Maximum requests to the model for one prompt. */
  readonly mostSteps: number;
}

/** The result of a prompt. */
export interface ToolLoopResult {
  /** The final message; if the answer was cut off, the text so far. */
  readonly text: string;
  /** The model's stop reason. */
  readonly finish: string | undefined;
  readonly error: unknown;
}

/**
 * Sends one prompt to the model and runs the tools it calls, until it calls none or has submitted a valid result.
 * Without a prompt the conversation continues.
 */
export async function runToolLoop(
  prompt: string | undefined,
  request: ToolLoopRequest,
): Promise<ToolLoopResult> {
  const { conversation, watch, instructions, context, route } = request;
  const { settings } = request.request;
  const [{ streamText, isStepCount }, model] = await Promise.all([import("ai"), openModel(request)]);
  // Otherwise the package prints warnings about a request.
  (globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;
  const work = openWork();
  const userMessages: readonly ModelMessage[] =
    prompt === undefined ? [] : [{ role: "user", content: prompt }];
  let unsaved = userMessages;
  const ended = { text: "", finish: undefined as string | undefined, error: undefined as unknown };
  const isSubmitted = () => request.loop.answer().result !== undefined;
  const stream = streamText({
    model,
    instructions: instructionsFor(route, instructions),
    messages: [...conversation.messages(), ...userMessages],
    tools: await toolSetFor(request, work.doing),
    abortSignal: watch.signal,
    // Retries happen in one place only: the run calls again, and the turn continues.
    maxRetries: 0,
    stopWhen: [isStepCount(settings?.maxTurns ?? request.mostSteps), isSubmitted],
    ...callSettings(route, { settings, conversation: conversation.id }),
    prepareStep: ({ messages }) => ({ messages: messagesSent(route, messages) }),
    onError: ({ error }) => {
      ended.error = error;
    },
    onStepEnd(step) {
      ended.finish = finishOf(step);
      // There is nothing to continue from.
      if (isVoid(step)) return;
      conversation.add([...unsaved, ...step.response.messages]);
      unsaved = [];
      work.begin();
      // A submitted result ends the turn; the text of the same step is the final message.
      if (isSubmitted()) Object.assign(ended, { finish: "stop", text: step.text });
    },
  });
  try {
    for await (const part of stream.stream) {
      work.note(part);
      if (part.type === "text-delta") {
        work.step += part.text;
        context.onText(part.text);
      }
      if (part.type === "error") ended.error = part.error;
      if (work.step !== "") ended.text = work.step;
    }
  } catch (error) {
    ended.error ??= error;
  }
  await work.settled();
  const done = ended.error === undefined ? [] : work.done();
  if (done.length > 0) conversation.add([...unsaved, ...done]);
  return ended;
}

/** The messages of a request. Throws if they may exceed the model's window. */
function messagesSent(route: ModelRoute, messages: readonly ModelMessage[]): ModelMessage[] {
  const { window } = sizesOf(route.model);
  const sent = pruneContext(messages, window);
  // For an unknown model, the window is a guess.
  if (modelNamed(route.model) !== undefined && isOver(sent, window))
    throw new AgentError("context", `the conversation is longer than ${route.model} takes`);
  return messagesFor(route, validMessages(sent));
}

/** The reason why a step ended. Some endpoints announce a tool call, and send none. */
const finishOf = ({ finishReason, toolCalls }: VoidStep): string =>
  finishReason === "tool-calls" && toolCalls.length === 0 ? "other" : finishReason;

/** True for a step that failed or was cut off, or that ended without content for no known reason. */
function isVoid(step: VoidStep): boolean {
  const finish = finishOf(step);
  const isEmpty = step.text === "" && step.toolCalls.length === 0;
  return finish === "error" || finish === "interrupted" || (finish === "other" && isEmpty);
}

interface VoidStep {
  readonly finishReason: string;
  readonly text: string;
  readonly toolCalls: readonly unknown[];
}

/** Tracks running tools: a stop waits until they have ended. */
function openWork() {
  const running = new Set<Promise<unknown>>();
  const calls = new Map<string, ToolCall>();
  const results: ToolResult[] = [];
  return {
    /** The text of the current step. */
    step: "",
    begin() {
      this.step = "";
      calls.clear();
      results.length = 0;
    },
    note(part: StreamPart) {
      if (part.type === "start-step") this.begin();
      if (part.type === "tool-call") calls.set(part.toolCallId, part);
      if (part.type === "tool-result") results.push(part);
    },
    /** Completed tool calls of an interrupted step; these are not repeated. */
    done: () => messagesOf(calls, results),
    async doing<T>(one: Promise<T>): Promise<T> {
      running.add(one);
      try {
        return await one;
      } finally {
        running.delete(one);
      }
    },
    settled: () => Promise.allSettled(running),
  };
}

/** The stream events that are read. */
type StreamPart = TextStreamPart<ToolSet>;

interface ToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
}

interface ToolResult extends ToolCall {
  readonly output: unknown;
}

/** The calls of a step that have a result, as a message of the model, and their results. */
function messagesOf(
  calls: ReadonlyMap<string, ToolCall>,
  results: readonly ToolResult[],
): readonly ModelMessage[] {
  if (results.length === 0) return [];
  const made = results.map(({ toolCallId, toolName }) => {
    const input = calls.get(toolCallId)?.input ?? {};
    return { type: "tool-call", toolCallId, toolName, input } as const;
  });
  const content = results.map(({ toolCallId, toolName, output }) => {
    return { type: "tool-result", toolCallId, toolName, output: modelOutputOf(output) } as const;
  });
  return [
    { role: "assistant", content: made },
    { role: "tool", content },
  ];
}
