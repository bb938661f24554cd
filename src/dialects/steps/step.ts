import type { AgentCall, CallNode, Node } from "../../plan/plan.ts";
import { didYouMean } from "../parse-fields.ts";
import { reportFault } from "../report-fault.ts";
import { isKnown } from "./agents.ts";
import { withEnvironment } from "./environment.ts";
import { readExpression } from "./expressions.ts";
import type { ReadStep } from "./graph.ts";
import { readLoop } from "./loop.ts";
import type { RawStep, StepContext } from "./raw-step.ts";
import { type ReaderContext, warnOfUseless } from "./reader-context.ts";
import { withoutEffect } from "./schema.ts";
import { readTextOrFile } from "./text-file.ts";
import { readToolStep } from "./tool-step.ts";

const idleMs = 1_800_000;
const longestInstructions = 2000;

/** Reads one step: an agent's work, a tool, a loop, or another workflow. */
export const readStep: ReadStep = (sheet, draft, { around, ids, given }) => {
  const { fields, raw, at } = draft;
  warnOfUseless(sheet, { keys: withoutEffect.step, given: raw, at });
  const visible = { ids: [...ids, ...around.outer], after: draft.after };
  const when = conditionOf(sheet, draft, visible);
  const { retries = 0 } = fields;
  const base: StepContext["base"] = {
    id: draft.id,
    after: draft.after,
    trigger: "none_failed",
    ...(when === undefined ? {} : { when }),
    ...(retries > 0 ? { retry: { times: retries, delayMs: 0, on: "all" } } : {}),
  };
  const context: StepContext = { around, visible, given, base, call: callOf(sheet, draft) };
  if (Object.hasOwn(raw, "tool")) return readToolStep(sheet, draft, context);
  if (Object.hasOwn(raw, "toolInput"))
    reportFault(sheet, "BAD_VALUE", {
      message: "`toolInput` needs a `tool`.",
      at: [...at, "toolInput"],
      onKey: true,
    });
  if (Object.hasOwn(raw, "include")) return readInclude(sheet, draft, base);
  if (Object.hasOwn(raw, "loop")) return readLoop(sheet, draft, { context, readStep });
  return agentNode(context, draft);
};

function agentNode({ around, given, base, call }: StepContext, { after, fields }: RawStep): Node {
  const entry = after.length === 0 ? around.entry : [];
  const timeout = fields.timeout === undefined ? {} : { timeoutMs: fields.timeout };
  return {
    ...base,
    kind: "agent",
    call: { ...call, ...timeout, sections: [...around.every, ...entry, ...given] },
  };
}

function conditionOf(
  sheet: ReaderContext,
  { fields, at }: RawStep,
  visible: StepContext["visible"],
): Node["when"] {
  if (fields.condition === undefined) return undefined;
  const read = readExpression(sheet, { source: fields.condition, at: [...at, "condition"] }, visible);
  return read && { kind: "cel", missing: "false", ...read };
}

function callOf(sheet: ReaderContext, draft: RawStep): StepContext["call"] {
  const { agent, model } = draft.fields;
  const known =
    agent !== undefined && isKnown(sheet, agent, { at: [...draft.at, "agent"], code: "UNKNOWN_AGENT" });
  const schema = known ? sheet.agents.get(agent)?.schema : undefined;
  const { stepTimeoutMs } = sheet.options;
  return {
    prompt: [promptOf(sheet, draft)],
    ...(known ? { agent } : {}),
    ...(model === undefined ? {} : { model }),
    ...(schema === undefined ? {} : ({ schema, result: "required" } satisfies Partial<AgentCall>)),
    idleMs,
    ...(stepTimeoutMs === undefined ? {} : { timeoutMs: stepTimeoutMs }),
  };
}

function promptOf(sheet: ReaderContext, { id, fields, at }: RawStep): string {
  const { instructions, contextFiles = [] } = fields;
  const place = [...at, "instructions"];
  if (instructions !== undefined && instructions.length > longestInstructions) {
    const hint = "Put them into a file and name it: @path.";
    const message = `Instructions have at most ${longestInstructions} characters.`;
    reportFault(sheet, "LIMIT", { message, at: place, hint });
  }
  const written = instructions === undefined ? undefined : withEnvironment(sheet, instructions, place);
  const read = written === undefined ? undefined : readTextOrFile(sheet, written, place);
  const text = read?.trim() ? read : `Do the step "${id}".`;
  if (contextFiles.length === 0) return text;
  return `${text}\n\n## Files to read first\n${contextFiles.map((file) => `- ${file}`).join("\n")}`;
}

const notWithInclude = ["agent", "instructions", "loop", "condition", "contextFiles", "model"];

function readInclude(
  sheet: ReaderContext,
  { fields, raw, at }: RawStep,
  base: StepContext["base"],
): CallNode | undefined {
  for (const key of notWithInclude.filter((it) => Object.hasOwn(raw, it))) {
    const message = `A step that includes a workflow has no \`${key}\` of its own.`;
    reportFault(sheet, "ONE_KIND", { message, at: [...at, key], onKey: true });
  }
  if (fields.include === undefined) return undefined;
  const { include } = fields;
  const isNamed = Object.hasOwn(sheet.includes, include);
  const workflow = isNamed ? (sheet.includes[include] ?? include) : include;
  const hint = isNamed ? undefined : didYouMean(include, Object.keys(sheet.includes));
  sheet.calls.push({ workflow, at: [...at, "include"], hint });
  const context = base.after.flatMap((node) => [
    `\n\n### Output of ${node}\n`,
    { ref: "output", node } as const,
  ]);
  const call = { kind: "call", workflow, with: {}, ...(context.length === 0 ? {} : { context }) } as const;
  return { ...base, kind: "call", call };
}
