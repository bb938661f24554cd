import type { Escalation } from "../../plan/attempts.ts";
import { reportFault } from "../report-fault.ts";
import { isAgent, nearAgent } from "./agent-names.ts";
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
  if (agent !== undefined && !isAgent(agent, reader)) {
    const hint = nearAgent(agent, reader);
    reportFault(reader, "UNKNOWN_AGENT", {
      message: `There is no agent \`${agent}\`.`,
      at: [...place, "agent"],
      hint,
    });
  }
  const own = readDefaults(reader, { fields: rawNode.fields, at: rawNode.at, defaults: enclosing.defaults });
  const stronger = readModel(reader, { agent, model }, place);
  const by = named(stronger.agent ?? agent, stronger.model);
  return { escalate: { after, by, insteadOf: named(own.agent, own.model) } };
}

export const named = (agent: string | undefined, model: string | undefined) => ({
  ...(agent === undefined ? {} : { agent }),
  ...(model === undefined ? {} : { model }),
});
