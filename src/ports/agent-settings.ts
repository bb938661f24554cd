import { z } from "zod";
import type { Infer } from "./infer.ts";
import { json } from "./json.ts";

/** How hard a model thinks, each level harder than the one before. A program has some of them. */
export const effortLevels: readonly string[] = [
  ...["minimal", "low", "medium", "high"],
  ...["xhigh", "max", "ultra", "persistent"],
];

/** Settings of a model or an agent program; each one ignores those it does not support. */
export const agentSettings = z.strictObject({
  effort: z.string().exactOptional(),
  maxTurns: z.number().exactOptional(),
  temperature: z.number().exactOptional(),
  topP: z.number().exactOptional(),
  /** Per answer. */
  maxTokens: z.number().exactOptional(),
  thinking: json.exactOptional(),
  fallbackModel: z.string().exactOptional(),
  betas: z.array(z.string()).exactOptional(),
  webSearch: z.string().exactOptional(),
  /** Per call, in US dollars. */
  maxBudgetUsd: z.number().exactOptional(),
  /** For an agent program: arguments after its own. */
  args: z.array(z.string()).exactOptional(),
  /** Claude Code's hooks and subagents, in Archon's format. */
  hooks: z.record(z.string(), json).exactOptional(),
  subagents: z.record(z.string(), json).exactOptional(),
  /** A file of MCP servers in the checkout. */
  mcp: z.string().exactOptional(),
  /** Names of skills in the checkout. */
  skills: z.array(z.string()).exactOptional(),
});

export type AgentSettings = Infer<typeof agentSettings>;

/** The tools an agent may use, by the names its author wrote: `Read`, `bash`, `mcp__server__tool`. */
export const agentTools = z.strictObject({
  /** Only these; none if the list is empty. */
  only: z.array(z.string()).exactOptional(),
  /** All except these; removed from `only` if both are given. */
  not: z.array(z.string()).exactOptional(),
  /** An agent that cannot enforce this may run without it; otherwise it must refuse. */
  advisory: z.literal(true).exactOptional(),
});

export type AgentTools = Infer<typeof agentTools>;
