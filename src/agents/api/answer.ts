import { refusalOf } from "../../key-proxy/answer-trouble.ts";
import { isFixable, type ProviderError } from "../../key-proxy/provider-errors.ts";
import {
  type AgentAnswer,
  AgentError,
  type AgentFault,
  type AgentRequest,
  type Usage,
} from "../../ports/agent.ts";
import { defined } from "../../ports/defined.ts";
import { boundedAnswer } from "../../processes/bounded-output.ts";
import { findJson } from "../json-answer.ts";
import { priceVariable } from "../models.ts";
import type { Conversation } from "./conversation.ts";
import type { ToolLoopRequest, ToolLoopResult } from "./tool-loop.ts";

/** The dependencies of an answer of `api`. */
export interface AnswerContext
  extends Pick<
    ToolLoopRequest,
    "route" | "watch" | "lease" | "background" | "mostSteps" | "context" | "environment"
  > {
  readonly request: AgentRequest;
  /** Models whose unknown price has been reported. */
  readonly warned: Set<string>;
}

/** The end of a turn. */
interface EndedTurn extends AnswerContext {
  readonly conversation: Conversation;
  /** Notices about the start of the turn. */
  readonly before: NonNullable<AgentAnswer["notices"]>;
  readonly answer: Partial<AgentAnswer>;
  /** The background commands that were ended with the turn. */
  readonly left: readonly string[];
}

/** The answer of a turn; throws an `AgentError`, or the reason of an abort. */
export function readEnd(loop: ToolLoopResult, ended: EndedTurn): AgentAnswer {
  const { request, watch, answer } = ended;
  const silentHost = ended.lease.silentHost();
  const usage = ended.lease.usage();
  const used = defined({ usage });
  if (watch.why === "aborted") throw unwanted(ended, usage);
  if (watch.why === "timeout")
    throw new AgentError("timeout", `the agent gave no answer within ${request.timeoutMs} ms`, used);
  // It was waiting for its model, so its silence does not count.
  if (watch.why === "idle" && silentHost !== undefined)
    throw new AgentError(
      "network",
      `${ended.route.provider.name}: ${silentHost} sent nothing for ${request.idleMs} ms`,
      used,
    );
  if (watch.why === "idle" && loop.text.trim() === "")
    throw new AgentError("idle", `the agent said nothing for ${request.idleMs} ms`, used);
  if (watch.why === undefined) refuseFailure(loop, { ...ended, usage });
  const result =
    answer.result ?? (request.schema === undefined ? undefined : findJson(loop.text, request.role));
  const text = loop.text.trim() === "" && result !== undefined ? JSON.stringify(result) : loop.text;
  if (text.trim() === "" && answer.signals === undefined)
    throw new AgentError("empty", `${ended.route.model} ended its turn without a message`, used);
  return {
    ...answer,
    text: boundedAnswer(text),
    session: ended.conversation.id,
    ...defined({ result, usage }),
    ...(watch.why === "idle" ? { idle: true } : {}),
    ...(ended.left.length === 0 ? {} : { left: [...ended.left] }),
    ...noticesOf(ended, usage),
  };
}

function unwanted({ watch, context }: EndedTurn, usage: Usage | undefined): unknown {
  if (usage !== undefined) context.onSpent?.(usage);
  return watch.signal.reason;
}

function noticesOf(
  { conversation, request, route, warned, before }: EndedTurn,
  usage: Usage | undefined,
): Pick<AgentAnswer, "notices"> {
  const isFree = usage !== undefined && usage.cost_usd === 0 && !warned.has(route.model);
  if (isFree) warned.add(route.model);
  const lost = `the conversation ${request.session} is not on this machine: a new one was started`;
  const free = `what ${route.model} costs is not known and counts as 0: set ${priceVariable} to US dollars for a million tokens in and out, like 3/15`;
  const notices = [
    ...before,
    ...(conversation.isLost ? [{ code: "SESSION_LOST", message: lost }] : []),
    ...(isFree ? [{ code: "COST_UNKNOWN", message: free }] : []),
  ];
  return notices.length === 0 ? {} : { notices };
}

/** Throws the error that ended the turn, classified by the key proxy. */
function refuseFailure(
  { error, finish, text }: ToolLoopResult,
  { lease, route, usage, mostSteps, request }: EndedTurn & { readonly usage: Usage | undefined },
): void {
  const fault = lease.fault();
  const used = defined({ usage });
  if (error !== undefined) {
    const why = fault ?? unseen(error);
    const more = defined({ usage, retryAfterMs: why.retryAfterMs, isFixable: isFixable(why), cause: error });
    throw new AgentError(why.fault, `${route.provider.name}: ${why.message}`, more);
  }
  const most = request.settings?.maxTurns ?? mostSteps;
  const isVoid = finish === "interrupted" || (finish === "other" && text.trim() === "");
  const ended = isVoid ? "error" : (finish ?? "");
  const why = finishes[ended]?.(route.model, most);
  if (why !== undefined) throw new AgentError(why[0], why[1], used);
}

/**
 * An error that the key proxy did not see: an answer that does not follow the protocol is transient, a bug of ours is
 * not.
 */
function unseen(error: unknown): ProviderError {
  if (error instanceof AgentError) return { fault: error.fault, message: error.message };
  const { name, message } = error instanceof Error ? error : { name: "", message: String(error) };
  return unreadable.test(name) || unknownEvent.test(message)
    ? { fault: "network", message: `the answer cannot be read: ${message}` }
    : { fault: "crash", message };
}

const unreadable =
  /^AI_(?:NoOutputGenerated|NoContentGenerated|JSONParse|TypeValidation|InvalidResponseData|EmptyResponseBody|APICall)Error$/;

/** The SDK's unnamed error for a stream that starts with an unknown event. */
const unknownEvent = /^Expected a normalized \w+ stream error$/;

const finishes: Readonly<Record<string, (model: string, steps: number) => readonly [AgentFault, string]>> = {
  "tool-calls": (model, steps) => ["max-turns", `${model} was not done after ${steps} steps`],
  length: (model) => ["max-turns", `${model} was not done after four messages of maximum length`],
  error: (model) => ["network", `${model} ended its answer in the middle of a call, or with nothing in it`],
  "content-filter": (model) => ["refused", refusalOf(model)],
};
