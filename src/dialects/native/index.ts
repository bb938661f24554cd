import type { Dialect, Files, Reading } from "../dialect.ts";
import { note } from "../note.ts";
import { isMapping, namelessWorkflow, shape } from "../shape.ts";
import { isBlank, readAgentName } from "./call.ts";
import { readGraph } from "./graph.ts";
import { readBudget, readInputs, readNamedAgents } from "./header.ts";
import { noNames } from "./names.ts";
import { documentFields, ignoredInDocument } from "./schema.ts";
import type { Sheet } from "./sheet.ts";

/** Archon's workflow files and ours: a graph of `nodes:`, some of which are loops. */
export const native: Dialect = {
  name: "native",
  claims: (document) => isMapping(document) && Object.hasOwn(document, "nodes"),
  read,
};

const idleMs = 1_800_000;

function read(document: unknown, files: Files): Reading {
  const faults: Sheet["faults"] = [];
  const fields = shape(document, {
    fields: documentFields,
    at: [],
    faults,
    ignored: ignoredInDocument,
    blank: namelessWorkflow,
  });
  const inputs = readInputs({ faults }, fields.inputs ?? {});
  const agents = readNamedAgents({ faults }, fields.agents ?? {});
  const sheet: Sheet = {
    faults,
    calls: [],
    files,
    inputs: new Set(Object.keys(inputs)),
    agents,
    isInteractive: fields.interactive ?? false,
    atMost: fields.max_concurrency ?? 8,
    readGraph,
    count: 0,
  };
  const budget = fields.budget === undefined ? {} : readBudget(sheet, fields.budget);
  const agent = readAgentName(sheet, fields, []);
  checkName(sheet, fields.name, isMapping(document) && Object.hasOwn(document, "name"));
  const around = { names: noNames, outer: () => false, defaults: { idleMs } };
  const { graph } = readGraph(sheet, { nodes: fields.nodes ?? [], at: ["nodes"], around });
  if (fields.nodes === null || fields.nodes?.length === 0)
    note(sheet, "NO_NODES", { message: "The workflow has no nodes.", at: ["nodes"] });
  if (faults.some((fault) => !fault.warning)) return { faults, plan: undefined, calls: sheet.calls };
  const plan: Reading["plan"] = {
    name: fields.name ?? "",
    ...(fields.description === undefined ? {} : { description: fields.description }),
    dialect: "native",
    ...(agent === undefined ? {} : { agent }),
    ...(fields.model === undefined ? {} : { model: fields.model }),
    inputs,
    agents: Object.fromEntries(agents),
    budget,
    body: fields.time_limit === undefined ? graph : { ...graph, timeoutMs: fields.time_limit },
  };
  return { faults, plan, calls: sheet.calls };
}

function checkName(sheet: Sheet, name: string | undefined, isThere: boolean): void {
  if (name === undefined ? isThere : !isBlank(name)) return;
  const at = isThere ? ["name"] : [];
  note(sheet, "MISSING_NAME", { message: "A workflow needs a `name`.", at });
}
