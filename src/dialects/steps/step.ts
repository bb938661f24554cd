import type { AgentCall, CallNode, Node } from "../../plan/plan.ts";
import { reportFault, reportKeys, warnOfKeys } from "../report-fault.ts";
import { didYouMean } from "../value-remedy.ts";
import { isKnown } from "./agents.ts";
import { readExpression } from "./expressions.ts";
import type { ReadStep } from "./graph.ts";
import { readLoop } from "./loop.ts";
import type { RawStep, StepContext } from "./raw-step.ts";
import type { ReaderContext } from "./reader-context.ts";
import { withoutEffect } from "./schema.ts";
import { readTextOrFile } from "./texts.ts";
import { readToolStep } from "./tool-step.ts";

const idleMs = 1_800_000;
const longestInstructions = 2000;

/** Reads one step: an agent's work, a tool, a loop, or another workflow. */
export const readStep: ReadStep = (reader, rawStep, { enclosing, ids, sections }) => {
  const { fields, raw, at } = rawStep;
  warnOfKeys(reader, { keys: withoutEffect.step, object: raw, at, message: withoutEffect.message });
  const visible = { ids: [...ids, ...enclosing.outer], after: rawStep.after };
  const when = conditionOf(reader, rawStep, visible);
  const { retries = 0 } = fields;
  const base: StepContext["base"] = {
    id: rawStep.id,
    after: rawStep.after,
    trigger: "none_failed",
    ...(when === undefined ? {} : { when }),
    ...(retries > 0 ? { retry: { times: retries, delayMs: 0, on: "all" } } : {}),
  };
  const context: StepContext = { enclosing, visible, sections, base, call: callOf(reader, rawStep) };
  if (Object.hasOwn(raw, "tool")) return readToolStep(reader, rawStep, context);
  const message = () => "`toolInput` needs a `tool`.";
  reportKeys(reader, "BAD_VALUE", { keys: ["toolInput"], object: raw, at, message });
  if (Object.hasOwn(raw, "include")) return readInclude(reader, rawStep, base);
  if (Object.hasOwn(raw, "loop")) return readLoop(reader, rawStep, { context, readStep });
  return agentNode(context, rawStep);
};

function agentNode({ enclosing, sections, base, call }: StepContext, { after, fields }: RawStep): Node {
  const entry = after.length === 0 ? enclosing.entry : [];
  const timeout = fields.timeout === undefined ? {} : { timeoutMs: fields.timeout };
  return {
    ...base,
    kind: "agent",
    call: { ...call, ...timeout, sections: [...enclosing.every, ...entry, ...sections] },
  };
}

function conditionOf(
  reader: ReaderContext,
  { fields, at }: RawStep,
  visible: StepContext["visible"],
): Node["when"] {
  if (fields.condition === undefined) return undefined;
  const read = readExpression(reader, { source: fields.condition, at: [...at, "condition"] }, visible);
  return read && { kind: "cel", missing: "false", ...read };
}

function callOf(reader: ReaderContext, rawStep: RawStep): StepContext["call"] {
  const { agent, model } = rawStep.fields;
  const known =
    agent !== undefined && isKnown(reader, agent, { at: [...rawStep.at, "agent"], code: "UNKNOWN_AGENT" });
  const schema = known ? reader.agents.get(agent)?.schema : undefined;
  const { stepTimeoutMs } = reader.options;
  return {
    prompt: [promptOf(reader, rawStep)],
    ...(known ? { agent } : {}),
    ...(model === undefined ? {} : { model }),
    ...(schema === undefined ? {} : ({ schema, result: "required" } satisfies Partial<AgentCall>)),
    idleMs,
    ...(stepTimeoutMs === undefined ? {} : { timeoutMs: stepTimeoutMs }),
  };
}

function promptOf(reader: ReaderContext, { id, fields, at }: RawStep): string {
  const { instructions, contextFiles = [] } = fields;
  const place = [...at, "instructions"];
  if (instructions !== undefined && instructions.length > longestInstructions) {
    const hint = "Put them into a file and name it: @path.";
    const message = `Instructions have at most ${longestInstructions} characters.`;
    reportFault(reader, "LIMIT", { message, at: place, hint });
  }
  const read = instructions === undefined ? undefined : readTextOrFile(reader, instructions, place);
  const text = read?.trim() ? read : `Do the step "${id}".`;
  if (contextFiles.length === 0) return text;
  return `${text}\n\n## Files to read first\n${contextFiles.map((file) => `- ${file}`).join("\n")}`;
}

const notWithInclude = ["agent", "instructions", "loop", "condition", "contextFiles", "model"];

function readInclude(
  reader: ReaderContext,
  { fields, raw, at }: RawStep,
  base: StepContext["base"],
): CallNode | undefined {
  const message = (key: string) => `A step that includes a workflow has no \`${key}\` of its own.`;
  reportKeys(reader, "ONE_KIND", { keys: notWithInclude, object: raw, at, message });
  if (fields.include === undefined) return undefined;
  const { include } = fields;
  const isNamed = Object.hasOwn(reader.includes, include);
  const workflow = isNamed ? (reader.includes[include] ?? include) : include;
  const hint = isNamed ? undefined : didYouMean(include, Object.keys(reader.includes));
  reader.calls.push({ workflow, at: [...at, "include"], hint });
  const context = base.after.flatMap((node) => [
    `\n\n### Output of ${node}\n`,
    { ref: "output", node } as const,
  ]);
  const call = { kind: "call", workflow, with: {}, ...(context.length === 0 ? {} : { context }) } as const;
  return { ...base, kind: "call", call };
}
