import { z } from "zod";
import type { Infer } from "./infer.ts";
import { json } from "./json.ts";

/** Settings of a model or of an agent program, as far as it has them. */
export const agentSettings = z.strictObject({
  effort: z.string().exactOptional(),
  maxTurns: z.number().exactOptional(),
  temperature: z.number().exactOptional(),
  topP: z.number().exactOptional(),
  /** Of one answer. */
  maxTokens: z.number().exactOptional(),
  thinking: json.exactOptional(),
  fallbackModel: z.string().exactOptional(),
  betas: z.array(z.string()).exactOptional(),
  webSearch: z.string().exactOptional(),
  /** Of one call, in US dollars. */
  maxBudgetUsd: z.number().exactOptional(),
  /** For an agent that is a program, behind its own. */
  args: z.array(z.string()).exactOptional(),
  /** Claude Code's hooks and sub-agents, as Archon writes them. */
  hooks: z.record(z.string(), json).exactOptional(),
  subagents: z.record(z.string(), json).exactOptional(),
  /** A file of MCP servers in the checkout. */
  mcp: z.string().exactOptional(),
  /** Names of skills in the checkout. */
  skills: z.array(z.string()).exactOptional(),
});

export type AgentSettings = Infer<typeof agentSettings>;

/** Which tools an agent may use, by the names its author wrote: `Read`, `bash`, `mcp__server__tool`. */
export const agentTools = z.strictObject({
  /** Nothing but these; none at all if the list is empty. */
  only: z.array(z.string()).exactOptional(),
  /** All but these; taken from `only` if both are given. */
  not: z.array(z.string()).exactOptional(),
  /** An agent that cannot enforce this may work without; otherwise it must refuse. */
  advisory: z.literal(true).exactOptional(),
});

export type AgentTools = Infer<typeof agentTools>;
