import type { AgentNode, ParallelNode } from "../../plan/plan.ts";
import { defined } from "../../ports/defined.ts";
import { isMapping, parseFields, type SourcePath } from "../parse-fields.ts";
import { reportFault, requireKeys } from "../report-fault.ts";
import { agentCallOf } from "./agent-call.ts";
import type { RawStep } from "./raw-step.ts";
import type { ReaderContext } from "./reader-context.ts";
import type { NodeBase } from "./repeat.ts";
import { executionItemFields } from "./schema.ts";

const mostVoters = 20;

/** Reads a step that asks several agents the same question, and counts how many agree. */
export function readConsensus(
  reader: ReaderContext,
  { id, at, step }: RawStep,
  base: NodeBase,
): ParallelNode | undefined {
  const { consensus, fields } = step ?? {};
  const place = [...at, "consensus"];
  const { prompt, require } = consensus ?? {};
  const voters = readVoters(reader, consensus?.executions ?? [], [...place, "executions"]);
  const object = step?.raw["consensus"] ?? {};
  const keys = consensus === undefined ? [] : ["prompt", "require"];
  requireKeys(reader, { keys, object, at: place, onKey: true, what: "A `consensus`" });
  if (voters === undefined || prompt === undefined || require === undefined) return undefined;
  const nodes = voters.map(({ fields: own, at: here }, index): AgentNode => {
    const who = { ...defined({ timeout: consensus?.timeout ?? fields?.timeout }), ...own };
    const source = { source: prompt, at: [...place, "prompt"], element: id };
    const call = agentCallOf(reader, { ...source, who, whoAt: here });
    return { id: `vote-${index + 1}`, after: [], trigger: "all_success", kind: "agent", call };
  });
  return {
    ...base,
    kind: "parallel",
    body: { kind: "graph", nodes, atMost: nodes.length },
    lists: { id: "id", output: "output" },
    agree: require,
  };
}

function readVoters(reader: ReaderContext, executions: readonly unknown[], at: SourcePath) {
  if (executions.length < 2 || executions.length > mostVoters) {
    const message = `A \`consensus\` asks 2 to ${mostVoters} agents, listed under \`executions\`.`;
    return reportFault(reader, "BAD_VALUE", {
      message,
      at,
      hint: "For example `executions: [{provider: anthropic, model: a}, {provider: openai, model: b}]`.",
    });
  }
  return executions.flatMap((value, index) => {
    const here = [...at, index];
    const fields = parseFields(value, { fields: executionItemFields, at: here, faults: reader.faults });
    return isMapping(value) ? [{ fields, at: here }] : [];
  });
}
