import { env } from "node:process";
import { getKeyProxy } from "../key-proxy/index.ts";
import type { KeyLease } from "../key-proxy/lease.ts";
import { type Agent, type AgentAnswer, AgentError, type AgentRequest } from "../ports/agent.ts";
import type { Json } from "../ports/json.ts";
import { complaintOf } from "../ports/json-schema.ts";
import type { Environment } from "../processes/environment.ts";
import { type AnswerContext, readEnd } from "./api/answer.ts";
import { openBackground } from "./api/background.ts";
import { findRoute, type ModelRoute } from "./api/provider.ts";
import { systemPrompt } from "./api/system-prompt.ts";
import { type AbortWatch, openAbortWatch } from "./api/timeouts.ts";
import { runToolLoop, type ToolLoopRequest, type ToolLoopResult } from "./api/tool-loop.ts";
import { type ApiTurn, openTurn, turnAfterOverflow } from "./api/turn.ts";
import { callLimitsFor } from "./call-limits.ts";
import { findJson } from "./json-answer.ts";
import { type LoopTools, openLoopTools } from "./loop-tools.ts";
import {
  goOnWriting,
  mergeAnswers,
  openTurnRecord,
  reasonToContinue,
  type TurnRecord,
} from "./turn-record.ts";

export interface ApiOptions {
  /** `provider/model`, a provider or a model; empty for the first provider with a key. */
  readonly named?: string;
  /**
   * Provides its keys and base URLs, and the variables that its shell may see; default: this process's environment.
   */
  readonly environment?: Environment;
  /** Maximum requests to the model for one answer. */
  readonly mostSteps?: number;
}

/**
 * The built-in agent: any model behind an API like Anthropic's or OpenAI's, with tools to read, write and run things
 * in the workspace. The key stays in the key proxy.
 */
export function apiAgent({ named = "", environment = env, mostSteps = 250 }: ApiOptions = {}): Agent {
  const warned = new Set<string>();
  return {
    name: named === "" ? "api" : `api:${named}`,
    async answer(request, context) {
      context.signal.throwIfAborted();
      const route = findRoute({ named, model: request.model, environment });
      const watch = openAbortWatch(request, context);
      const lease = await leaseKey(route, { watch, context, environment });
      const background = openBackground();
      try {
        return await answer({
          request,
          context,
          environment,
          route,
          watch,
          lease,
          background,
          mostSteps,
          warned,
        });
      } finally {
        await background.end();
        watch.release();
        lease.end();
      }
    },
  };
}

async function leaseKey(
  { provider, upstream, key, model }: ModelRoute,
  { watch, context, environment }: Pick<AnswerContext, "watch" | "context" | "environment">,
): Promise<KeyLease> {
  try {
    const lease = await getKeyProxy().lease({
      wire: provider.wire,
      upstream,
      key,
      signal: watch.signal,
      ...callLimitsFor(model, { context, environment }),
    });
    lease.onBytes(watch.onOutput);
    return lease;
  } catch (cause) {
    watch.release();
    throw watch.signal.aborted
      ? watch.signal.reason
      : new AgentError("missing", (cause as Error).message, { cause });
  }
}

async function answer(call: AnswerContext): Promise<AgentAnswer> {
  const { request, context } = call;
  const record = openTurnRecord("api", request, context);
  const loop = openLoopTools(request, context);
  let turn = openTurn(call, record.cutOff);
  let result = await ask(turn, { context: call, loop, record });
  // If the conversation is empty, the prompt itself is too long.
  const isFull = () => isContextFull(result, call.lease) && turn.conversation.messages().length > 0;
  for (let left = mostConversations; left > 0 && isFull(); left -= 1) {
    turn = turnAfterOverflow(turn, call);
    result = await ask(turn, { context: call, loop, record });
  }
  const answer = mergeAnswers(turn.partial, loop.answer());
  const left = await call.background.end();
  const ended = { ...call, conversation: turn.conversation, answer, left, before: turn.notices };
  try {
    const answer = readEnd(result, ended);
    record.remove();
    return answer;
  } catch (error) {
    const reason = reasonToContinue(error);
    if (reason === undefined) record.remove();
    else note(reason);
    throw error;
  }
  function note(reason: string) {
    const { conversation, from } = turn;
    if (conversation.messages().length <= from) record.remove();
    else record.write({ session: conversation.id, from, because: reason, told: answer });
  }
}

interface TurnContext {
  readonly context: AnswerContext;
  readonly loop: LoopTools;
  readonly record: TurnRecord;
}

/** Runs the model's turn, and continues it if its message was cut off or lacks a required part. */
async function ask(
  { conversation, prompt, from }: ApiTurn,
  { context: call, loop, record }: TurnContext,
): Promise<ToolLoopResult> {
  const { request, context, lease } = call;
  const { environment } = call;
  const instructions = await systemPrompt({ request, context, environment });
  const toolLoopRequest: ToolLoopRequest = { ...call, conversation, loop, instructions };
  // Save the messages after each answer: a kill may come at any time.
  lease.onAnswered(() => {
    const { spent } = spentBy(lease) ?? {};
    record.write({
      session: conversation.id,
      from,
      because: "the process was ended",
      told: loop.answer(),
      ...(spent && { spent }),
    });
    if (spent !== undefined) context.onUsage?.(spent);
  });
  let result = await runToolLoop(prompt, toolLoopRequest);
  for (let left = 3; left > 0 && result.error === undefined && result.finish === "length"; left -= 1) {
    const more = await runToolLoop(goOnWriting, toolLoopRequest);
    result = { ...more, text: result.text + more.text };
  }
  const needsReminder = () => isResultMissing(result, { request, result: loop.answer().result });
  // A model that forgot the answer format is reminded once, which is cheaper than another iteration.
  if (isWell(result, call.watch) && needsReminder()) result = await runToolLoop(reminder, toolLoopRequest);
  return result;
}

/** Maximum number of new conversations in one turn, for a model that keeps filling its context. */
const mostConversations = 10;

/** Reported by the provider, or known before the request. */
const isContextFull = ({ error }: ToolLoopResult, lease: KeyLease) =>
  (error instanceof AgentError && error.fault === "context") || lease.fault()?.fault === "context";

const spentBy = (lease: KeyLease) => {
  const spent = lease.usage();
  return spent && { spent };
};

const reminder = "Now call the tool submit_result with the result of your task, and nothing else.";

const isWell = ({ error, finish }: ToolLoopResult, { why }: AbortWatch) =>
  why === undefined && error === undefined && finish === "stop";

function isResultMissing(
  { text }: ToolLoopResult,
  { request, result }: { readonly request: AgentRequest; readonly result: Json | undefined },
) {
  if (request.schema === undefined || result !== undefined) return false;
  const json = findJson(text, request.role);
  return json === undefined || complaintOf(json, request.schema) !== undefined;
}
