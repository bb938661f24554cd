import { z } from "zod";
import type { AgentSettings, AgentTools } from "./agent-settings.ts";
import type { Walled } from "./isolation.ts";
import { type Json, json } from "./json.ts";
import type { ModelPrices } from "./model-price.ts";

export { type AgentSettings, type AgentTools, agentSettings, agentTools } from "./agent-settings.ts";

/** Why an agent is called: to work, to judge an iteration, to answer a yes/no question, to decide at a gate block. */
export type Role = "worker" | "judge" | "evaluator" | "gate";

/** An AI coding agent: takes one prompt, may change the workspace, answers with its final message. */
export interface Agent {
  readonly name: string;
  /** Rejects with `AgentError` if there is no answer; any other rejection is a defect. */
  answer(request: AgentRequest, context: AgentContext): Promise<AgentAnswer>;
}

export interface AgentRequest {
  /**
   * The agent's name in the workflow or on the command line: `scripted:replies.yml`, `command:./agent.sh`, `claude`.
   */
  readonly agent: string | undefined;
  readonly model: string | undefined;
  readonly role: Role;
  /** The node's id in its file. */
  readonly node: string;
  /** The innermost loop's iteration, from 1; in a for-each, the item's position. */
  readonly iteration: number | undefined;
  readonly prompt: string;
  readonly instructions: string | undefined;
  /** The JSON schema the structured answer must match. */
  readonly schema: Json | undefined;
  /** The conversation to continue; `undefined` starts a new one. */
  readonly session: string | undefined;
  /** Silence after which the agent is stopped, in milliseconds. */
  readonly idleMs: number;
  /** Maximum time for the whole answer, in milliseconds. */
  readonly timeoutMs: number | undefined;
  /** The signals given by the tools `complete_loop` and `fail_loop`; without a signal, the tool is not offered. */
  readonly completes?: string | undefined;
  readonly fails?: string | undefined;
  /** The loop's check commands, and globs of the files that it restores after each turn. */
  readonly checks?: readonly string[] | undefined;
  readonly protects?: readonly string[] | undefined;
  /** Default: all its tools. */
  readonly tools?: AgentTools | undefined;
  readonly settings?: AgentSettings | undefined;
}

/** A tool call of an agent, with its main argument: a path, a command, a pattern. */
export interface ToolCall {
  readonly name: string;
  readonly about: string;
}

/** What the runner provides for one call. */
export interface AgentContext extends Walled {
  readonly signal: AbortSignal;
  /** The checkout the agent may edit; an absolute path. */
  readonly workspace: string;
  /** The run's folder for files outside the checkout; an absolute path. */
  readonly artifacts: string;
  /** Variables for processes that the agent starts: ids of the run, the node and the iteration. */
  readonly env: Readonly<Record<string, string>>;
  /** How many recorded answers and failures of this run carried each `tag`. */
  readonly tags: ReadonlyMap<string, number>;
  /** Prices that the workflow sets. */
  readonly prices?: ModelPrices | undefined;
  /** Called for each message of the agent, possibly often, as a sign of activity. */
  onText(text: string): void;
  /** Called for each tool call of the agent. */
  onTool?(call: ToolCall): void;
  /** Called during the call, with its usage so far, if that is known. */
  onUsage?(usage: Usage): void;
  /** Reports the usage of an answer that was abandoned, or of an earlier attempt whose process was killed. */
  onSpent?(usage: Usage): void;
  /** Messages to this node since the call started. Each is returned once and must be listed in `AgentAnswer.read`. */
  inbox?(): readonly AgentMessage[];
  /** Checks the remaining budget before each request to a model that we forward. */
  readonly spending?: Spending;
}

/** The budget of a run, applied to single requests to models. */
export interface Spending {
  /**
   * Waits until the estimated cost of a request fits beside those in flight, or until no other is in flight. Resolves
   * with `refused` if the budget is used up; rejects when the signal is aborted.
   */
  admit(expected: Pick<Usage, "input_tokens" | "cost_usd">, signal: AbortSignal): Promise<Admission>;
}

/** Permission to send one request. */
export interface Admission {
  /** Why the request must not be sent; `undefined` if it may be. */
  readonly refused: string | undefined;
  /** Ends the request with its usage, if known. Must be called once for each request that was sent. */
  settle(used: Usage | undefined): void;
}

/**
 * A folder in the run's artifacts where an agent keeps what it needs to continue a conversation on another machine,
 * as `<agent>/<session>…`, without secrets. Stores whose logs are shared copy it.
 */
export const sessionsFolder = ".sessions";
/** Where interrupted turns are recorded, on this machine only. */
export const turnsFolder = ".turns";
/** Where complete outputs are stored that were too long for a model, on this machine only. */
export const outputsFolder = ".outputs";
/** Where agent programs have their private folders, by agent name. */
export const homesFolder = ".homes";

const letter = z.strictObject({ from: z.string(), text: z.string() });

/** A message from another step, or from people. */
export type AgentMessage = z.infer<typeof letter>;

export const usage = z.strictObject({
  /** All input tokens, cached ones included. */
  input_tokens: z.number().nonnegative(),
  output_tokens: z.number().nonnegative(),
  cost_usd: z.number().nonnegative(),
  /** Input tokens read from, and written to, the provider's cache. */
  cache_read: z.number().nonnegative().exactOptional(),
  cache_write: z.number().nonnegative().exactOptional(),
});

/** The tokens and money that one answer, or a whole run, used. */
export type Usage = z.infer<typeof usage>;

/** Usage that is safe to add: programs may report values that are not numbers, negative or infinite. */
export const countable = ({
  input_tokens,
  output_tokens,
  cost_usd,
  cache_read,
  cache_write,
}: Usage): Usage => ({
  input_tokens: bounded(input_tokens),
  output_tokens: bounded(output_tokens),
  cost_usd: bounded(cost_usd),
  ...(bounded(cache_read ?? 0) > 0 ? { cache_read: bounded(cache_read ?? 0) } : {}),
  ...(bounded(cache_write ?? 0) > 0 ? { cache_write: bounded(cache_write ?? 0) } : {}),
});

export const noUsage: Usage = { input_tokens: 0, output_tokens: 0, cost_usd: 0 };

/** The sum of two usages. */
export const addUsage = (one: Usage, other: Usage | undefined): Usage =>
  other === undefined
    ? one
    : countable({
        input_tokens: one.input_tokens + other.input_tokens,
        output_tokens: one.output_tokens + other.output_tokens,
        cost_usd: one.cost_usd + other.cost_usd,
        cache_read: (one.cache_read ?? 0) + (other.cache_read ?? 0),
        cache_write: (one.cache_write ?? 0) + (other.cache_write ?? 0),
      });

/**
 * The number of tokens that count against a token budget. Input read from a provider's cache counts as a tenth, like
 * its price.
 */
export const budgetTokens = ({ input_tokens, output_tokens, cache_read = 0 }: Usage): number =>
  Math.round(input_tokens - cache_read * 0.9 + output_tokens);

const bounded = (count: number): number => (count > 0 ? Math.min(count, Number.MAX_SAFE_INTEGER) : 0);

export const agentAnswer = z.strictObject({
  /** The final message only; at most 256 KiB, head and tail kept. */
  text: z.string(),
  result: json.exactOptional(),
  session: z.string().exactOptional(),
  usage: usage.exactOptional(),
  /** Signals given by tool call. */
  signals: z.array(z.string()).exactOptional(),
  sent: z.array(z.strictObject({ to: z.string(), text: z.string() })).exactOptional(),
  /** The messages of `AgentContext.inbox` that the agent read during the call. */
  read: z.array(letter).exactOptional(),
  /** The agent's note to itself for the next iteration. */
  note: z.string().exactOptional(),
  /** True if the agent fell silent and was stopped; `text` is its output so far. */
  idle: z.boolean().exactOptional(),
  /** Commands that were still running at the end of its turn, and were killed. */
  left: z.array(z.string()).exactOptional(),
  /** Notices about how the answer came about. */
  notices: z.array(z.strictObject({ code: z.string(), message: z.string() })).exactOptional(),
  /** Counted by the run; the counts are passed to later calls in `AgentContext.tags`. */
  tag: z.string().exactOptional(),
});

export type AgentAnswer = z.infer<typeof agentAnswer>;

export const agentFault = z.enum([
  "rate-limit",
  "overloaded",
  "network",
  "auth",
  "credit",
  "context",
  "refused",
  "max-turns",
  "crash",
  "empty",
  "idle",
  "timeout",
  "missing",
  "unmatched",
]);

/** The class of an agent's failure. The first three are transient and retried. */
export type AgentFault = z.infer<typeof agentFault>;

/** Temporary faults: the same call may succeed later. */
export const transientFaults: ReadonlySet<string> = new Set<AgentFault>([
  "rate-limit",
  "overloaded",
  "network",
]);

/** The agent gave no answer. */
export class AgentError extends Error {
  override readonly name = "AgentError";
  readonly fault: AgentFault;
  readonly retryAfterMs: number | undefined;
  readonly usage: Usage | undefined;
  readonly tag: string | undefined;
  readonly isFixable: boolean;

  constructor(fault: AgentFault, message: string, more: AgentErrorDetails = {}) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.fault = fault;
    this.retryAfterMs = more.retryAfterMs;
    this.usage = more.usage;
    this.tag = more.tag;
    this.isFixable = more.isFixable ?? false;
  }
}

export interface AgentErrorDetails {
  readonly retryAfterMs?: number;
  readonly usage?: Usage;
  readonly tag?: string;
  /** True if a person can fix the cause, such as a key: the run stops, and can be resumed from there. */
  readonly isFixable?: boolean;
  readonly cause?: unknown;
}
