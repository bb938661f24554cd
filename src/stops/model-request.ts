import type { AgentRequest } from "../ports/agent.ts";
import type { Json } from "../ports/json.ts";

type ModelQuestion = Pick<AgentRequest, "role" | "node" | "prompt"> & Partial<AgentRequest>;

/** A request to a model that judges work: no conversation, and half an hour of silence at most. */
export const modelRequest = (asked: ModelQuestion): AgentRequest => ({
  agent: undefined,
  model: undefined,
  iteration: undefined,
  instructions: undefined,
  schema: undefined,
  session: undefined,
  idleMs: 30 * 60_000,
  timeoutMs: undefined,
  ...asked,
});

/** The schema of an answer that consists of one field and a reason. */
export const answerSchema = (field: string, type: "boolean" | "integer"): Json => ({
  type: "object",
  properties: { [field]: { type }, reason: { type: "string" } },
  required: [field, "reason"],
  additionalProperties: false,
});
