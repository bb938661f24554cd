import { z } from "zod";
import { type Json, json } from "./json.ts";

/** Why an agent is asked: to work, to judge an iteration, to answer a yes/no question, to decide at a gate block. */
export type Role = "worker" | "judge" | "evaluator" | "gate";

/** An AI coding agent: takes one prompt, may change the workspace, answers with its final message. */
export interface Agent {
  readonly name: string;
  /** Rejects with `AgentError` when no answer came; any other rejection is a defect. */
  answer(request: AgentRequest, context: AgentContext): Promise<AgentAnswer>;
}

export interface AgentRequest {
  /** As the workflow or the user named it: `scripted:replies.yml`, `command:./agent.sh`, `claude`. */
  readonly agent: string | undefined;
  readonly model: string | undefined;
  readonly role: Role;
  /** The node's id in its file. */
  readonly node: string;
  /** Of the innermost loop, from 1; an item's position in a for-each. */
  readonly iteration: number | undefined;
  readonly prompt: string;
  readonly instructions: string | undefined;
  /** A JSON schema the structured answer must keep. */
  readonly schema: Json | undefined;
  /** The conversation to continue; `undefined` starts a new one. */
  readonly session: string | undefined;
  /** Silence after which the agent is stopped, in milliseconds. */
  readonly idleMs: number;
  /** The longest the whole answer may take, in milliseconds. */
  readonly timeoutMs: number | undefined;
  /** The signals that calls of the tools `complete_loop` and `fail_loop` give; a tool without one is not offered. */
  readonly completes?: string | undefined;
  readonly fails?: string | undefined;
}

/** What the runner lends an agent for one answer. */
export interface AgentContext {
  readonly signal: AbortSignal;
  /** The checkout the agent may edit; an absolute path. */
  readonly workspace: string;
  /** The run's folder for files that are not part of the checkout; an absolute path. */
  readonly artifacts: string;
  /** Added to the environment of what the agent starts: ids of the run, the node and the iteration. */
  readonly env: Readonly<Record<string, string>>;
  /** How often each `tag` came back in this run's recorded answers and failures. */
  readonly tags: ReadonlyMap<string, number>;
  /** Tells people that the agent lives, as it speaks; may be called often. */
  onText(text: string): void;
  /** Tells what an answer took by the time that it was no longer wanted. */
  onSpent?(usage: Usage): void;
  /** Messages to this node that came since it was asked; each is handed out once, and belongs into `AgentAnswer.read`. */
  inbox?(): readonly Letter[];
}

/**
 * Beside the run's artifacts: where an agent keeps what it needs to go on with a conversation on another machine, as
 * `<agent>/<session>…`, without secrets. A store whose logs travel takes this folder along.
 */
export const sessionsFolder = ".sessions";

const letter = z.strictObject({ from: z.string(), text: z.string() });

/** A message from another step, or from people. */
export type Letter = z.infer<typeof letter>;

export const usage = z.strictObject({
  input_tokens: z.number().nonnegative(),
  output_tokens: z.number().nonnegative(),
  cost_usd: z.number().nonnegative(),
});

/** Tokens and money one answer, or a whole run, took. */
export type Usage = z.infer<typeof usage>;

/** A usage that can be added up and written down: what programs say may be no number, negative or without end. */
export const countable = ({ input_tokens, output_tokens, cost_usd }: Usage): Usage => ({
  input_tokens: sound(input_tokens),
  output_tokens: sound(output_tokens),
  cost_usd: sound(cost_usd),
});

const sound = (count: number): number => (count > 0 ? Math.min(count, Number.MAX_SAFE_INTEGER) : 0);

export const agentAnswer = z.strictObject({
  /** The final message only; at most 256 KiB, head and tail kept. */
  text: z.string(),
  result: json.exactOptional(),
  session: z.string().exactOptional(),
  usage: usage.exactOptional(),
  /** Signals given by tool call, not by words. */
  signals: z.array(z.string()).exactOptional(),
  sent: z.array(z.strictObject({ to: z.string(), text: z.string() })).exactOptional(),
  /** The messages of `AgentContext.inbox` that it read while it worked. */
  read: z.array(letter).exactOptional(),
  /** What it wants to know in the next iteration, in its own words. */
  note: z.string().exactOptional(),
  /** The agent fell silent and was stopped; `text` is what it had said. */
  idle: z.boolean().exactOptional(),
  /** The commands that still ran when its turn was over, and were ended. */
  left: z.array(z.string()).exactOptional(),
  /** What people should know of how the answer came about. */
  notices: z.array(z.strictObject({ code: z.string(), message: z.string() })).exactOptional(),
  /** Counted by the run and shown again in `AgentContext.tags`. */
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

/** The class of an agent's failure; the first three pass by themselves and are retried. */
export type AgentFault = z.infer<typeof agentFault>;

/** The agent gave no answer. */
export class AgentError extends Error {
  override readonly name = "AgentError";
  readonly fault: AgentFault;
  readonly retryAfterMs: number | undefined;
  readonly usage: Usage | undefined;
  readonly tag: string | undefined;

  constructor(fault: AgentFault, message: string, more: AgentErrorDetails = {}) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.fault = fault;
    this.retryAfterMs = more.retryAfterMs;
    this.usage = more.usage;
    this.tag = more.tag;
  }
}

export interface AgentErrorDetails {
  readonly retryAfterMs?: number;
  readonly usage?: Usage;
  readonly tag?: string;
  readonly cause?: unknown;
}
