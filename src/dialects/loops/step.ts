import type { Condition } from "../../expr/text.ts";
import type { AgentCall, Node } from "../../plan/plan.ts";
import { note } from "../note.ts";
import { readCall } from "./call.ts";
import type { Draft, StepFields } from "./draft.ts";
import { readProvider } from "./execution.ts";
import { readIf } from "./if.ts";
import { readLoop } from "./loop.ts";
import { type NodeBase, tries } from "./repeat.ts";
import { refusedInStep, stepKinds } from "./schema.ts";
import type { Sheet } from "./sheet.ts";
import { readText } from "./texts.ts";

const idleMs = 1_800_000;

/** Reads a step or a loop into a node; nothing where what it does is not plain. */
export function readElement(sheet: Sheet, draft: Draft, after: readonly string[]): Node | undefined {
  const { id, step } = draft;
  const base: NodeBase = { id, after, trigger: "none_failed" };
  if (step === undefined) return readLoop(sheet, draft, base);
  const given = stepKinds.filter((key) => Object.hasOwn(step.raw, key));
  const [kind, second] = given;
  // What it does is refused by name already.
  const isRefused = Object.keys(refusedInStep).some((key) => Object.hasOwn(step.raw, key));
  if (kind === undefined && isRefused) return undefined;
  if (kind === undefined || second !== undefined) {
    const message = second ? `A step does one thing; this one has ${given.join(" and ")}.` : needsOne;
    const place = second === undefined ? draft.at : [...draft.at, second];
    note(sheet, "ONE_KIND", { message, at: place, onKey: second !== undefined });
    return undefined;
  }
  const when = readCondition(sheet, draft, step.fields);
  const whole: NodeBase = { ...base, ...(when === undefined ? {} : { when }) };
  if (kind === "loop") return readLoop(sheet, draft, whole);
  const policy = readPolicy(sheet, step.fields);
  return kind === "run"
    ? readRun(sheet, draft, { ...whole, ...policy })
    : readTemplate(sheet, draft, { ...whole, ...policy });
}

const needsOne = `A step needs one of ${stepKinds.join(", ")}.`;

function readCondition(sheet: Sheet, { id, at }: Draft, fields: StepFields): Condition | undefined {
  if (fields.if === undefined) return undefined;
  const { left, right, differs } = readIf(fields.if);
  const text = (source: string) =>
    readText(sheet, { source, at: [...at, "if"], element: id, isCondition: true });
  return {
    kind: "sameness",
    left: text(left),
    ...(right === undefined ? {} : { right: text(right) }),
    differs,
  };
}

/** What a step's failure means. */
function readPolicy({ execution }: Sheet, fields: StepFields): Pick<NodeBase, "retry" | "mayFail"> {
  const { on_failure: onFailure = execution.mayFail ? "continue" : "halt" } = fields;
  if (onFailure === "continue") return { mayFail: true };
  if (onFailure === "halt") return {};
  return { retry: { times: fields.max_retries ?? tries, delayMs: fields.retry_delay ?? 0, on: "all" } };
}

function readRun(sheet: Sheet, { id, at, step }: Draft, base: NodeBase): Node | undefined {
  const source = step?.fields.run;
  if (step === undefined || source === undefined) return undefined;
  const place = [...at, "run"];
  if (source.trim() === "") {
    note(sheet, "BAD_VALUE", { message: "The `run` is blank.", at: place });
    return undefined;
  }
  const timeoutMs = step.fields.timeout ?? sheet.execution.timeoutMs;
  const call: AgentCall = {
    prompt: readText(sheet, { source, at: place, element: id }),
    ...readProvider(sheet, step.fields, at),
    idleMs,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
  return { ...base, kind: "agent", call };
}

function readTemplate(sheet: Sheet, { id, at, step }: Draft, base: NodeBase): Node | undefined {
  const place = [...at, "template"];
  const { name, with: parameters } = step?.template ?? {};
  if (name === undefined) {
    note(sheet, "BAD_VALUE", { message: "A `template` needs a `name`.", at: place, onKey: true });
    return undefined;
  }
  const call = readCall(sheet, {
    workflow: name,
    at: [...place, "name"],
    parameters,
    place,
    element: id,
    message: [{ ref: "value", name: "USER_MESSAGE" }],
  });
  return call && { ...base, kind: "call", call };
}
