import type { Condition } from "../../expressions/template.ts";
import type { Node } from "../../plan/plan.ts";
import { reportFault } from "../report-fault.ts";
import { agentCallOf } from "./agent-call.ts";
import { readCall } from "./call.ts";
import { readConsensus } from "./consensus.ts";
import { readIf } from "./if.ts";
import { readLoop } from "./loop.ts";
import type { RawStep, StepFields } from "./raw-step.ts";
import type { ReaderContext } from "./reader-context.ts";
import { type NodeBase, tries } from "./repeat.ts";
import { refusedInStep, stepKinds } from "./schema.ts";
import { readText } from "./templates.ts";

/** Reads a step or a loop into a node; `undefined` if its kind is unclear. */
export function readElement(
  reader: ReaderContext,
  rawStep: RawStep,
  after: readonly string[],
): Node | undefined {
  const { id, step } = rawStep;
  const base: NodeBase = { id, after, trigger: "none_failed" };
  if (step === undefined) return readLoop(reader, rawStep, base);
  const kinds = stepKinds.filter((key) => Object.hasOwn(step.raw, key));
  const [kind, second] = kinds;
  // Its action has been refused by name already.
  const isRefused = Object.keys(refusedInStep).some((key) => Object.hasOwn(step.raw, key));
  if (kind === undefined && isRefused) return undefined;
  if (kind === undefined || second !== undefined) {
    const message = second ? `A step does one thing; this one has ${kinds.join(" and ")}.` : needsOne;
    const place = second === undefined ? rawStep.at : [...rawStep.at, second];
    return reportFault(reader, "ONE_KIND", { message, at: place, onKey: second !== undefined });
  }
  const when = readCondition(reader, rawStep, step.fields);
  const whole: NodeBase = { ...base, ...(when === undefined ? {} : { when }) };
  if (kind === "loop") return readLoop(reader, rawStep, whole);
  const policed = { ...whole, ...readPolicy(reader, step.fields) };
  if (kind === "consensus") return readConsensus(reader, rawStep, policed);
  return kind === "run" ? readRun(reader, rawStep, policed) : readTemplate(reader, rawStep, policed);
}

const needsOne = `A step needs one of ${stepKinds.join(", ")}.`;

function readCondition(
  reader: ReaderContext,
  { id, at }: RawStep,
  fields: StepFields,
): Condition | undefined {
  if (fields.if === undefined) return undefined;
  const { left, right, differs } = readIf(fields.if);
  const text = (source: string) =>
    readText(reader, { source, at: [...at, "if"], element: id, isCondition: true });
  return {
    kind: "sameness",
    left: text(left),
    ...(right === undefined ? {} : { right: text(right) }),
    differs,
  };
}

/** The effect of a failed step. */
function readPolicy({ execution }: ReaderContext, fields: StepFields): Pick<NodeBase, "retry" | "mayFail"> {
  const { on_failure: onFailure = execution.mayFail ? "continue" : "halt" } = fields;
  if (onFailure === "continue") return { mayFail: true };
  if (onFailure === "halt") return {};
  return { retry: { times: fields.max_retries ?? tries, delayMs: fields.retry_delay ?? 0, on: "all" } };
}

function readRun(reader: ReaderContext, { id, at, step }: RawStep, base: NodeBase): Node | undefined {
  const source = step?.fields.run;
  if (step === undefined || source === undefined) return undefined;
  const place = [...at, "run"];
  if (source.trim() === "")
    return reportFault(reader, "BAD_VALUE", { message: "The `run` is blank.", at: place });
  const call = agentCallOf(reader, { source, at: place, element: id, who: step.fields, whoAt: at });
  return { ...base, kind: "agent", call };
}

function readTemplate(reader: ReaderContext, { id, at, step }: RawStep, base: NodeBase): Node | undefined {
  const place = [...at, "template"];
  const { name, with: parameters } = step?.template ?? {};
  if (name === undefined)
    return reportFault(reader, "BAD_VALUE", {
      message: "A `template` needs a `name`.",
      at: place,
      onKey: true,
    });
  const call = readCall(reader, {
    workflow: name,
    at: [...place, "name"],
    parameters,
    place,
    element: id,
    message: [{ ref: "value", name: "USER_MESSAGE" }],
  });
  return call && { ...base, kind: "call", call };
}
