import { asJson, isObject } from "../../expr/output.ts";
import type { AgentAnswer } from "../../ports/agent.ts";
import type { Json } from "../../ports/json.ts";
import { complaintOf } from "../../ports/json-schema.ts";
import { Unmet } from "../flow.ts";

/** An answer that keeps a schema, its result read from the text where it was not given apart; else throws `Unmet`. */
export function withResult(answer: AgentAnswer, schema: Json | undefined): AgentAnswer {
  if (!isObject(schema)) return answer;
  const result = answer.result ?? asJson(answer.text);
  const because = complaintOf(result, schema);
  if (because === undefined) return { ...answer, result };
  throw new Unmet("node-failed", `the agent gave no result as its schema asks: ${because}`);
}
