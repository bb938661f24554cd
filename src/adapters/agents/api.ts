import { env } from "node:process";
import {
  type Agent,
  type AgentAnswer,
  type AgentContext,
  AgentError,
  type AgentFault,
  type AgentRequest,
  type Usage,
} from "../../ports/agent.ts";
import type { Json } from "../../ports/json.ts";
import { complaintOf } from "../../ports/json-schema.ts";
import { headAndTail } from "../capture.ts";
import type { Environment } from "../environment.ts";
import { openRelay } from "../relay/index.ts";
import type { Loan } from "../relay/loan.ts";
import { type Conversation, openConversation } from "./api/conversation.ts";
import { findRoute, type Route } from "./api/provider.ts";
import { type Said, type Talk, talk } from "./api/talk.ts";
import { openWatch, type Watch } from "./api/watch.ts";
import { findJson } from "./json-answer.ts";
import { openLoopTools } from "./loop-tools.ts";

export interface ApiOptions {
  /** `provider/model`, a provider or a model; empty for the first provider that has a key. */
  readonly named?: string;
  /** Where its keys and base URLs are, and what its shell may see of; this process's own unless told. */
  readonly environment?: Environment;
  /** The most requests to the model for one answer. */
  readonly mostSteps?: number;
}

/**
 * Our own agent, for people without another: a model of any endpoint that speaks as Anthropic's or OpenAI's do, with
 * tools to read, write and run things in the workspace. The key stays with the relay.
 */
export function apiAgent({ named = "", environment = env, mostSteps = 250 }: ApiOptions = {}): Agent {
  const warned = new Set<string>();
  return {
    name: named === "" ? "api" : `api:${named}`,
    async answer(request, context) {
      context.signal.throwIfAborted();
      const route = findRoute({ named, model: request.model, environment });
      const watch = openWatch(request, context);
      const loan = await lend(route, watch);
      try {
        return await answer({ request, context, environment, route, watch, loan, mostSteps, warned });
      } finally {
        watch.release();
        loan.end();
      }
    },
  };
}

async function lend({ provider, upstream, key }: Route, watch: Watch): Promise<Loan> {
  try {
    const loan = await openRelay().lend({ wire: provider.wire, upstream, key, signal: watch.signal });
    loan.onBytes(watch.heard);
    return loan;
  } catch (cause) {
    watch.release();
    throw watch.signal.aborted
      ? watch.signal.reason
      : new AgentError("missing", (cause as Error).message, { cause });
  }
}

interface Asked extends Pick<Talk, "route" | "watch" | "loan" | "mostSteps" | "context" | "environment"> {
  readonly request: AgentRequest;
  /** Models of which it was said that their price is not known. */
  readonly warned: Set<string>;
}

async function answer(asked: Asked): Promise<AgentAnswer> {
  const { request, context } = asked;
  const conversation = openConversation(context.artifacts, request.session);
  const loop = openLoopTools(request, context);
  const about: Talk = { ...asked, conversation, loop, instructions: instructionsFor(request, context) };
  let said = await talk(request.prompt, about);
  const lacks = () => whatLacks(said, { request, result: loop.heard().result });
  // A model that forgot the form is reminded of it once; that costs less than another iteration.
  if (isWell(said, asked.watch) && lacks()) said = await talk(reminder, about);
  return readEnd(said, { ...asked, conversation, heard: loop.heard() });
}

const reminder = "Now call the tool submit_result with the result of your task, and nothing else.";

const isWell = ({ error, finish }: Said, { why }: Watch) =>
  why === undefined && error === undefined && finish === "stop";

function whatLacks(
  { text }: Said,
  { request, result }: { readonly request: AgentRequest; readonly result: Json | undefined },
) {
  if (request.schema === undefined || result !== undefined) return false;
  const found = findJson(text, request.role);
  return found === undefined || complaintOf(found, request.schema) !== undefined;
}

interface Ended extends Asked {
  readonly conversation: Conversation;
  readonly heard: Partial<AgentAnswer>;
}

function readEnd(said: Said, ended: Ended): AgentAnswer {
  const { request, watch, heard } = ended;
  const usage = usageOf(ended);
  const used = usage === undefined ? {} : { usage };
  if (watch.why === "aborted") throw unwanted(ended, usage);
  if (watch.why === "timeout")
    throw new AgentError("timeout", `the agent gave no answer within ${request.timeoutMs} ms`, used);
  if (watch.why === "idle" && said.text.trim() === "")
    throw new AgentError("idle", `the agent said nothing for ${request.idleMs} ms`, used);
  if (watch.why === undefined) refuseFailure(said, { ...ended, usage });
  const result =
    heard.result ?? (request.schema === undefined ? undefined : findJson(said.text, request.role));
  const text = said.text.trim() === "" && result !== undefined ? JSON.stringify(result) : said.text;
  if (text.trim() === "" && heard.signals === undefined)
    throw new AgentError("empty", `${ended.route.model} ended its turn without a word`, used);
  return {
    ...heard,
    text: cut(text),
    session: ended.conversation.id,
    ...(result === undefined ? {} : { result }),
    ...used,
    ...(watch.why === "idle" ? { idle: true } : {}),
    ...noticesOf(ended, usage),
  };
}

function unwanted({ watch, context }: Ended, usage: Usage | undefined): unknown {
  if (usage !== undefined) context.onSpent?.(usage);
  return watch.signal.reason;
}

function noticesOf(
  { conversation, request, route, warned }: Ended,
  usage: Usage | undefined,
): Pick<AgentAnswer, "notices"> {
  const isFree = usage !== undefined && usage.cost_usd === 0 && !warned.has(route.model);
  if (isFree) warned.add(route.model);
  const lost = `nothing is here of the conversation ${request.session}: a new one began`;
  const free = `what ${route.model} costs is not known and counts as 0: set ${priceName} to US dollars for a million tokens in and out, like 3/15`;
  const notices = [
    ...(conversation.isLost ? [{ code: "SESSION_LOST", message: lost }] : []),
    ...(isFree ? [{ code: "COST_UNKNOWN", message: free }] : []),
  ];
  return notices.length === 0 ? {} : { notices };
}

/** Throws what kept the model from its answer, by the class that the relay saw. */
function refuseFailure(
  { error, finish }: Said,
  { loan, route, usage, mostSteps }: Ended & { readonly usage: Usage | undefined },
): void {
  const trouble = loan.fault();
  const used = usage === undefined ? {} : { usage };
  if (error !== undefined) {
    const { fault, message, retryAfterMs } = trouble ?? unseen(error);
    const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
    throw new AgentError(fault, `${route.provider.name}: ${message}`, { ...used, ...wait, cause: error });
  }
  const why = finishes[finish ?? ""]?.(route.model, mostSteps);
  if (why !== undefined) throw new AgentError(why[0], why[1], used);
}

function unseen(error: unknown): {
  readonly fault: AgentFault;
  readonly message: string;
  readonly retryAfterMs?: number;
} {
  const message = error instanceof Error ? error.message : String(error);
  return { fault: "crash", message };
}

const finishes: Readonly<Record<string, (model: string, steps: number) => readonly [AgentFault, string]>> = {
  "tool-calls": (model, steps) => ["max-turns", `${model} was not done after ${steps} steps`],
  "content-filter": (model) => ["refused", `${model} refused to answer`],
};

/** Tokens as the relay counted them; what they cost where the endpoint or the user says so. */
function usageOf({ loan, environment }: Ended): Usage | undefined {
  const counted = loan.usage();
  if (counted === undefined || counted.cost_usd > 0) return counted;
  const [input = Number.NaN, output = Number.NaN] = (environment[priceName] ?? "").split("/").map(Number);
  if (!(input >= 0 && output >= 0)) return counted;
  const cost_usd = (counted.input_tokens * input + counted.output_tokens * output) / 1_000_000;
  return { ...counted, cost_usd };
}

/** US dollars for a million tokens in and out, like `3/15`. */
const priceName = "UNTIL_GREEN_API_PRICE";

function instructionsFor({ instructions, role, schema }: AgentRequest, { workspace }: AgentContext): string {
  const task =
    role === "worker"
      ? "You are a software engineer. Work on the task with the tools you have, check what you did, and end your turn with a short account of it."
      : "You judge the work of others. Look at what you need with the tools you have, change nothing, and answer exactly what you are asked.";
  return [
    task,
    `The workspace is ${workspace}. Nobody can answer questions while you work: decide, and say what you decided.`,
    ...(schema === undefined
      ? []
      : ["Hand your result in with the tool submit_result before you end your turn."]),
    ...(instructions === undefined ? [] : [instructions]),
  ].join("\n\n");
}

function cut(text: string): string {
  const kept = headAndTail(256 * 1024);
  kept.push(Buffer.from(text, "utf8"));
  return kept.text();
}
