import type { Graph } from "../../plan/plan.ts";
import type { Files, Reading } from "../dialect.ts";
import { isMapping, type ParsedFields, parseFields } from "../parse-fields.ts";
import { checkName, missingNameFault, reportFault, warnOfKeys } from "../report-fault.ts";
import { readAgents } from "./agents.ts";
import { readGraph } from "./graph.ts";
import type { EnclosingContext } from "./raw-step.ts";
import type { ReaderContext } from "./reader-context.ts";
import { documentFields, optionFields, withoutEffect } from "./schema.ts";
import { readStep } from "./step.ts";
import { withEnvironment } from "./texts.ts";

/** The name to which steps address messages for the coordinator; an agent of this name receives them. */
const coordinator = "coordinator";

const top: EnclosingContext = {
  outer: [],
  every: [{ kind: "message" }],
  entry: [{ kind: "context" }],
  isInLoop: false,
};
const mostSteps = 100;
const longestDescription = 2000;

/** Everything wrong with a file in this language, and its plan. */
export function read(document: unknown, files: Files): Reading {
  const faults: ReaderContext["faults"] = [];
  const fields = parseFields(document, { fields: documentFields, at: [], faults, blank: missingNameFault });
  const options = readOptions({ faults }, fields.options);
  const reader: ReaderContext = {
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
  checkName(reader, document);
  checkHeader(reader, fields);
  const graph = readGraph(reader, { steps: fields.steps ?? [], at: ["steps"], enclosing: top }, readStep);
  if (faults.some((fault) => !fault.warning)) return { faults, plan: undefined, calls: reader.calls };
  const plan: Reading["plan"] = {
    name: fields.name ?? "",
    ...(fields.description === undefined
      ? {}
      : { description: withEnvironment({ faults, files }, fields.description, ["description"]) }),
    dialect: "steps",
    naming: "dotted",
    inputs: {},
    agents: Object.fromEntries(reader.agents),
    ...(reader.agents.has(coordinator) ? { coordinator } : {}),
    budget: {},
    body: withOptions(graph, options),
  };
  return { faults, plan, calls: reader.calls };
}

type OptionValues = ParsedFields<typeof optionFields>;

function readOptions(reader: Pick<ReaderContext, "faults">, value: unknown): OptionValues {
  if (value === undefined || value === null) return {};
  const at = ["options"];
  if (isMapping(value))
    warnOfKeys(reader, { keys: withoutEffect.options, object: value, at, message: withoutEffect.message });
  return parseFields(value, { fields: optionFields, at, faults: reader.faults });
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
  reader: ReaderContext,
  { description, steps: list }: ParsedFields<typeof documentFields>,
): void {
  if (description !== undefined && description.length > longestDescription) {
    const message = `A description has at most ${longestDescription} characters.`;
    reportFault(reader, "LIMIT", { message, at: ["description"] });
  }
  if (list === null || list?.length === 0) {
    reportFault(reader, "NO_NODES", { message: "The workflow has no steps.", at: ["steps"] });
  }
  if (list !== undefined && list !== null && list.length > mostSteps) {
    reportFault(reader, "LIMIT", { message: `A workflow has at most ${mostSteps} steps.`, at: ["steps"] });
  }
}
