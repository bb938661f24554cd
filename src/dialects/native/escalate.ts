import type { Escalation } from "../../plan/attempts.ts";
import { defined } from "../../ports/defined.ts";
import { reportFault } from "../report-fault.ts";
import { checkAgent } from "./agent-names.ts";
import { readDefaults } from "./call.ts";
import { readModel } from "./model-names.ts";
import type { LoopContext, RawLoop } from "./raw-loop.ts";
import type { ReaderContext } from "./reader-context.ts";

/** The stronger agent or model of a loop that makes no progress. */
export function readEscalation(
  reader: ReaderContext,
  { rawNode, fields, at }: RawLoop,
  { enclosing }: LoopContext,
): { readonly escalate?: Escalation } {
  if (fields.escalate === undefined) return {};
  const { after = 2, agent, model } = fields.escalate;
  const place = [...at, "escalate"];
  if (agent === undefined && model === undefined) {
    const message = "`escalate` needs an `agent`, a `model`, or both.";
    reportFault(reader, "BAD_VALUE", { message, at: place });
  }
  if (agent !== undefined) checkAgent(reader, agent, [...place, "agent"]);
  const own = readDefaults(reader, rawNode, enclosing.defaults);
  const stronger = readModel(reader, { agent, model }, place);
  const by = defined({ agent: stronger.agent ?? agent, model: stronger.model });
  return { escalate: { after, by, insteadOf: defined({ agent: own.agent, model: own.model }) } };
}
