import { z } from "zod";
import { reference, text } from "../expressions/template.ts";
import { agentSettings, agentTools } from "../ports/agent.ts";
import type { Infer } from "../ports/infer.ts";
import { json } from "../ports/json.ts";

/** A section before the prompt's own text, under a heading; left out if it is empty. */
const section = z.discriminatedUnion("kind", [
  /** An earlier node's output, truncated to a fair share unless `whole`. */
  z.strictObject({ kind: z.literal("output"), node: z.string(), whole: z.boolean().exactOptional() }),
  /** The item of a for-each, under this title. */
  z.strictObject({ kind: z.literal("item"), title: z.string() }),
  /** One value, under this title. */
  z.strictObject({ kind: z.literal("given"), title: z.string(), value: reference }),
  /** The value stored in the memory under this name by enclosing loops. */
  z.strictObject({ kind: z.literal("carried"), name: z.string() }),
  /** The run's message. */
  z.strictObject({ kind: z.literal("message") }),
  /** Context that the calling workflow passes to this workflow's first nodes. */
  z.strictObject({ kind: z.literal("context") }),
  /** The previous iteration of the loop, with every node of its body. */
  z.strictObject({ kind: z.literal("previous") }),
  /** The answer of the loop's judge. */
  z.strictObject({ kind: z.literal("feedback") }),
]);

export type Section = Infer<typeof section>;

/** How an agent is called. */
export const agentCall = z.strictObject({
  prompt: text,
  sections: z.array(section).exactOptional(),
  /** An answer that violates the schema fails the call. */
  result: z.literal("required").exactOptional(),
  agent: z.string().exactOptional(),
  model: z.string().exactOptional(),
  schema: json.exactOptional(),
  /** Instructions before any prompt; those of a named agent come first. */
  instructions: z.string().exactOptional(),
  tools: agentTools.exactOptional(),
  settings: agentSettings.exactOptional(),
  idleMs: z.number(),
  timeoutMs: z.number().exactOptional(),
  /** The call's purpose, if it is not work. */
  role: z.literal("gate").exactOptional(),
  /** Calls with the same name in a shared scope continue one conversation. */
  conversation: z.string().exactOptional(),
  /**
   * Earlier nodes, newest first: the call continues the conversation of the first one that completed with a
   * conversation.
   */
  continues: z.array(z.string()).exactOptional(),
  /** How often the agent is asked again for an answer that matches the schema, before the call fails. */
  asksAgain: z.int().exactOptional(),
});

export type AgentCall = Infer<typeof agentCall>;
