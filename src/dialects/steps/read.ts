import type { Graph } from "../../plan/plan.ts";
import type { Files, Reading } from "../dialect.ts";
import { note } from "../note.ts";
import { isMapping, namelessWorkflow, type Shaped, shape } from "../shape.ts";
import { readAgents } from "./agents.ts";
import type { Around } from "./draft.ts";
import { readGraph } from "./graph.ts";
import { documentFields, optionFields, withoutEffect } from "./schema.ts";
import { type Sheet, warnOfUseless } from "./sheet.ts";
import { readStep } from "./step.ts";

/** The name under which steps know who reads their messages; an agent of this name is asked about them. */
const coordinator = "coordinator";

const top: Around = { outer: [], every: [{ kind: "message" }], entry: [], isInLoop: false };
const mostSteps = 100;
const longestDescription = 2000;

/** Everything wrong with a file in this language, and its plan. */
export function read(document: unknown, files: Files): Reading {
  const faults: Sheet["faults"] = [];
  const fields = shape(document, { fields: documentFields, at: [], faults, blank: namelessWorkflow });
  const options = readOptions({ faults }, fields.options);
  const sheet: Sheet = {
    faults,
    calls: [],
    files,
    agents: readAgents({ faults, files }, fields.agents ?? {}),
    includes: fields.includes ?? {},
    options: {
      atMost: options.maxConcurrency || 5,
      itemsAtMost: options.maxConcurrency || undefined,
      stepTimeoutMs: options.stepTimeout,
    },
  };
  checkHeader(sheet, fields, isMapping(document) && Object.hasOwn(document, "name"));
  const graph = readGraph(sheet, { steps: fields.steps ?? [], at: ["steps"], around: top }, readStep);
  if (faults.some((fault) => !fault.warning)) return { faults, plan: undefined, calls: sheet.calls };
  const plan: Reading["plan"] = {
    name: fields.name ?? "",
    ...(fields.description === undefined ? {} : { description: fields.description }),
    dialect: "steps",
    naming: "dotted",
    inputs: {},
    agents: Object.fromEntries(sheet.agents),
    ...(sheet.agents.has(coordinator) ? { coordinator } : {}),
    budget: {},
    body: withOptions(graph, options),
  };
  return { faults, plan, calls: sheet.calls };
}

type OptionValues = Shaped<typeof optionFields>;

function readOptions(sheet: Pick<Sheet, "faults">, value: unknown): OptionValues {
  if (value === undefined || value === null) return {};
  const at = ["options"];
  if (isMapping(value)) warnOfUseless(sheet, { keys: withoutEffect.options, given: value, at });
  return shape(value, { fields: optionFields, at, faults: sheet.faults });
}

function withOptions(graph: Graph, { onStepFailure = "cascade", timeout }: OptionValues): Graph {
  const { onFailure: _, ...rest } = graph;
  const strategies = {
    cascade: { onFailure: "cancel" },
    "skip-dependents": {},
    abort: { onFailure: "abort" },
  } as const;
  return { ...rest, ...strategies[onStepFailure], ...(timeout === undefined ? {} : { timeoutMs: timeout }) };
}

function checkHeader(
  sheet: Sheet,
  { name, description, steps: list }: Shaped<typeof documentFields>,
  isNamed: boolean,
): void {
  if (name === undefined ? !isNamed : name.trim() === "") {
    note(sheet, "MISSING_NAME", { message: "A workflow needs a `name`.", at: isNamed ? ["name"] : [] });
  }
  if (description !== undefined && description.length > longestDescription) {
    const message = `A description has at most ${longestDescription} characters.`;
    note(sheet, "LIMIT", { message, at: ["description"] });
  }
  if (list === null || list?.length === 0) {
    note(sheet, "NO_NODES", { message: "The workflow has no steps.", at: ["steps"] });
  }
  if (list !== undefined && list !== null && list.length > mostSteps) {
    note(sheet, "LIMIT", { message: `A workflow has at most ${mostSteps} steps.`, at: ["steps"] });
  }
}
