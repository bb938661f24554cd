import { z } from "zod";
import { type Reference, reference, type Text, text } from "../expr/text.ts";
import { type Json, json } from "../ports/json.ts";

/** What else stands in a prompt, before its own text, under a heading; left out where there is nothing to say. */
export type Section =
  /** What a node before this one gave, cut to a fair length unless `whole`. */
  | { readonly kind: "output"; readonly node: string; readonly whole?: boolean }
  /** The run's message. */
  | { readonly kind: "message" }
  /** The item of a for-each, under this title. */
  | { readonly kind: "item"; readonly title: string }
  /** What the loop's iteration before gave, every node of its body. */
  | { readonly kind: "previous" }
  /** What the loop's judge said of it. */
  | { readonly kind: "feedback" }
  /** One value, under this title. */
  | { readonly kind: "given"; readonly title: string; readonly value: Reference }
  /** What loops around carry from one iteration to the next under a name of the memory. */
  | { readonly kind: "carried"; readonly name: string };

/** How an agent is asked. */
export interface AgentCall {
  readonly prompt: Text;
  readonly sections?: readonly Section[];
  /** An answer that does not keep the schema fails the call. */
  readonly result?: "required";
  readonly agent?: string;
  readonly model?: string;
  readonly schema?: Json;
  readonly idleMs: number;
  readonly timeoutMs?: number;
  /** What it is asked for, where that is not work. */
  readonly role?: "gate";
  /** Calls of one name in a shared scope go on with one conversation. */
  readonly conversation?: string;
}

const section: z.ZodType<Section> = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("output"), node: z.string(), whole: z.boolean().exactOptional() }),
  z.strictObject({ kind: z.literal("item"), title: z.string() }),
  z.strictObject({ kind: z.literal("given"), title: z.string(), value: reference }),
  z.strictObject({ kind: z.literal("carried"), name: z.string() }),
  z.strictObject({ kind: z.enum(["message", "previous", "feedback"]) }),
]);

export const agentCall: z.ZodType<AgentCall> = z.strictObject({
  prompt: text,
  sections: z.array(section).exactOptional(),
  result: z.literal("required").exactOptional(),
  agent: z.string().exactOptional(),
  model: z.string().exactOptional(),
  schema: json.exactOptional(),
  idleMs: z.number(),
  timeoutMs: z.number().exactOptional(),
  role: z.literal("gate").exactOptional(),
  conversation: z.string().exactOptional(),
});
