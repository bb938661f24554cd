import { z } from "zod";
import { type Reference, reference, type Text, text } from "../expressions/template.ts";
import { type AgentSettings, type AgentTools, agentSettings, agentTools } from "../ports/agent.ts";
import { type Json, json } from "../ports/json.ts";

/** A section before the prompt's own text, under a heading; left out if it is empty. */
export type Section =
  /** An earlier node's output, truncated to a fair share unless `whole`. */
  | { readonly kind: "output"; readonly node: string; readonly whole?: boolean }
  /** The run's message. */
  | { readonly kind: "message" }
  /** What the caller of this workflow shows to its first nodes. */
  | { readonly kind: "context" }
  /** The item of a for-each, under this title. */
  | { readonly kind: "item"; readonly title: string }
  /** The previous iteration of the loop, every node of its body. */
  | { readonly kind: "previous" }
  /** The answer of the loop's judge. */
  | { readonly kind: "feedback" }
  /** One value, under this title. */
  | { readonly kind: "given"; readonly title: string; readonly value: Reference }
  /** What the enclosing loops carry from one iteration to the next under a name of the memory. */
  | { readonly kind: "carried"; readonly name: string };

/** How an agent is called. */
export interface AgentCall {
  readonly prompt: Text;
  readonly sections?: readonly Section[];
  /** An answer that violates the schema fails the call. */
  readonly result?: "required";
  readonly agent?: string;
  readonly model?: string;
  readonly schema?: Json;
  /** Instructions before any prompt; those of a named agent come first. */
  readonly instructions?: string;
  readonly tools?: AgentTools;
  readonly settings?: AgentSettings;
  readonly idleMs: number;
  readonly timeoutMs?: number;
  /** The purpose, if it is not work. */
  readonly role?: "gate";
  /** Calls with one name in a shared scope continue one conversation. */
  readonly conversation?: string;
  /** Nodes before this one, newest first: it continues the conversation of the first that completed with one. */
  readonly continues?: readonly string[];
  /** How often an answer that does not keep the schema is asked for again before it fails the call. */
  readonly asksAgain?: number;
}

const section: z.ZodType<Section> = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("output"), node: z.string(), whole: z.boolean().exactOptional() }),
  z.strictObject({ kind: z.literal("item"), title: z.string() }),
  z.strictObject({ kind: z.literal("given"), title: z.string(), value: reference }),
  z.strictObject({ kind: z.literal("carried"), name: z.string() }),
  z.strictObject({ kind: z.enum(["message", "context", "previous", "feedback"]) }),
]);

export const agentCall: z.ZodType<AgentCall> = z.strictObject({
  prompt: text,
  sections: z.array(section).exactOptional(),
  result: z.literal("required").exactOptional(),
  agent: z.string().exactOptional(),
  model: z.string().exactOptional(),
  schema: json.exactOptional(),
  instructions: z.string().exactOptional(),
  tools: agentTools.exactOptional(),
  settings: agentSettings.exactOptional(),
  idleMs: z.number(),
  timeoutMs: z.number().exactOptional(),
  role: z.literal("gate").exactOptional(),
  conversation: z.string().exactOptional(),
  continues: z.array(z.string()).exactOptional(),
  asksAgain: z.int().exactOptional(),
});
