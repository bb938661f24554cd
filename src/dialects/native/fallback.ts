import type { Fallback } from "../../plan/attempts.ts";
import { defined } from "../../ports/defined.ts";
import type { ParsedFields } from "../parse-fields.ts";
import { reportFault } from "../report-fault.ts";
import { checkAgent } from "./agent-names.ts";
import type { ReaderContext } from "./reader-context.ts";
import type { documentFields } from "./schema.ts";

type Keys = ParsedFields<typeof documentFields>;

/** Who answers calls while the provider of their own agent fails. */
export function readFallback(reader: ReaderContext, keys: Keys): { readonly fallback?: Fallback } {
  const { fallback_agent: agent, fallback_model: model, fallback_after: after } = keys;
  if (agent === undefined && model === undefined) {
    const message = "`fallback_after` needs a `fallback_agent`, a `fallback_model`, or both.";
    if (after !== undefined) reportFault(reader, "BAD_VALUE", { message, at: ["fallback_after"] });
    return {};
  }
  if (agent !== undefined) checkAgent(reader, agent, ["fallback_agent"]);
  const own = agent === undefined ? undefined : reader.agents.get(agent);
  const by = { agent: own === undefined ? agent : own.agent, model: model ?? own?.model };
  return { fallback: { after: after ?? 3, by: defined(by) } };
}
