import type { Fault } from "../../plan/diagnostic.ts";
import type { Graph } from "../../plan/plan.ts";
import { defined } from "../../ports/defined.ts";
import type { Dialect, Files, Reading } from "../dialect.ts";
import { isMapping, type ParsedFields, parseFields } from "../parse-fields.ts";
import { checkName, missingNameFault, reportFault, summarised } from "../report-fault.ts";
import { didYouMean } from "../value-remedy.ts";
import { agentDefaults } from "./agent-settings.ts";
import { readAgentName } from "./call.ts";
import { readGraph } from "./graph.ts";
import { readBudget, readFallback, readInputs, readNamedAgents, readOutcome, readSeries } from "./header.ts";
import { ignoredInDocument } from "./ignored-keys.ts";
import { expandIncludes } from "./include.ts";
import { readModel, withEffort } from "./model-names.ts";
import { noNames } from "./names-in-scope.ts";
import type { ReaderContext } from "./reader-context.ts";
import { documentFields } from "./schema.ts";
import { checkSettings } from "./setting-words.ts";
import { wallsIn } from "./walls.ts";

/** Archon's workflow files and ours: a graph of `nodes:`, some of which are loops. */
export const native: Dialect = {
  name: "native",
  claims: (document) => isMapping(document) && Object.hasOwn(document, "nodes"),
  read,
};

const idleMs = 1_800_000;

const noNodes = {
  message: "The workflow has no nodes.",
  at: ["nodes"],
  hint: "Add one: `- id: fix`, and below it `prompt: …` or another kind of node.",
};

function read(document: unknown, files: Files): Reading {
  const faults: ReaderContext["faults"] = [];
  const fields = parseFields(withoutExtensions(document), {
    fields: documentFields,
    at: [],
    faults,
    ignored: ignoredInDocument,
    blank: missingNameFault,
  });
  const inputs = readInputs({ faults }, fields.inputs ?? {});
  const agents = readNamedAgents({ faults, files }, fields.agents ?? {});
  const reader: ReaderContext = {
    faults,
    calls: [],
    files,
    inputs: new Set(Object.keys(inputs)),
    agents,
    isInteractive: fields.interactive ?? false,
    atMost: fields.max_concurrency ?? 8,
    readGraph,
    count: 0,
    origins: new WeakMap(),
    included: [],
  };
  const budget = fields.budget === undefined ? {} : readBudget(reader, fields.budget);
  const fallback = readFallback(reader, fields);
  const { agent, model, defaults } = readDocumentDefaults(reader, fields);
  checkName(reader, document);
  const enclosing = { names: noNames, outer: () => false, defaults };
  const { nodes, outputs } = expandIncludes(reader, fields.nodes ?? [], ["nodes"]);
  const { graph: written, ids } = readGraph(reader, { nodes, at: ["nodes"], enclosing });
  const graph = withReturns(reader, written, { ids, outputs, named: fields.returns });
  const outcome = readOutcome(reader, { fields, graph, nodes });
  faults.push(...reader.included.flatMap(faultsIn));
  if (fields.nodes === null || fields.nodes?.length === 0) reportFault(reader, "NO_NODES", noNodes);
  const reported = summarised(faults.map((fault) => asArchonSays(fault, files)));
  if (reported.some((fault) => !fault.warning))
    return { faults: reported, plan: undefined, calls: reader.calls };
  const plan: Reading["plan"] = {
    name: fields.name ?? "",
    dialect: "native",
    ...defined({ description: fields.description, agent, model }),
    inputs,
    agents: Object.fromEntries(agents),
    budget,
    ...(fields.evidence_policy?.required ? { needsEvidence: true } : {}),
    ...outcome,
    ...fallback,
    ...readSeries(fields),
    ...wallsIn(fields),
    body: fields.time_limit === undefined ? graph : { ...graph, timeoutMs: fields.time_limit },
  };
  return { faults: reported, plan, calls: reader.calls };
}

/** Top-level keys that start with `x-` hold parts for anchors, as in Compose files. */
const withoutExtensions = (document: unknown): unknown =>
  isMapping(document)
    ? Object.fromEntries(Object.entries(document).filter(([key]) => !key.startsWith("x-")))
    : document;

/** The default agent, model and settings of the file. */
function readDocumentDefaults(reader: ReaderContext, fields: ParsedFields<typeof documentFields>) {
  // At the top, `agents` names agents.
  checkSettings(reader, { ...fields, agents: undefined }, []);
  const named = readModel(reader, fields, []);
  return {
    agent: named.agent ?? readAgentName(reader, fields, []),
    model: named.model,
    defaults: { idleMs, ...agentDefaults(fields, withEffort({}, named)) },
  };
}

interface Returns {
  readonly ids: ReadonlySet<string>;
  /** The nodes that provide the outputs of included workflows. */
  readonly outputs: ReadonlyMap<string, string>;
  readonly named: string | undefined;
}

/** The graph with its output node, as named in the file; if that node did not run, another one is used. */
function withReturns(reader: ReaderContext, graph: Graph, { ids, outputs, named }: Returns): Graph {
  if (named === undefined) return graph;
  const node = outputs.get(named) ?? named;
  if (ids.has(node)) return { ...graph, output: { node, ifRun: true } };
  const hint = didYouMean(node, [...ids]);
  const message = `There is no node \`${node}\`.`;
  reportFault(reader, "UNKNOWN_REFERENCE", { message, at: ["returns"], hint });
  return graph;
}

/** Top-level keys that Archon ignores if their values are invalid. */
const mayBeLeftOut: ReadonlySet<string | number> = new Set([
  ...["provider", "model", "effort", "modelReasoningEffort", "webSearchMode", "thinking", "fallbackModel"],
  ...["betas", "interactive"],
]);

/** True for such a key, an input, or `tools`, which Archon does not know on a node. */
const isLeftOut = ([first = "", ...rest]: Fault["at"]) =>
  first === "inputs" || rest.at(-1) === "tools" || (rest.length === 0 && mayBeLeftOut.has(first));

/** In its own folder, Archon only warns about unknown keys, including `returns`. */
function asArchonSays(fault: Fault, { isArchons }: Files): Fault {
  if (fault.warning) return fault;
  if (isArchons && fault.code === "BAD_VALUE" && fault.at[0] === "returns")
    return { ...fault, code: "IGNORED_FIELD", message: "`returns` has no effect here.", warning: true };
  if (isArchons && fault.code === "BAD_VALUE" && isLeftOut(fault.at))
    return { ...fault, code: "IGNORED_FIELD", message: `${fault.message} It is ignored.`, warning: true };
  const isNeeded = fault.hint?.includes("`max_iterations`") ?? false;
  if (!isArchons || fault.code !== "UNKNOWN_FIELD" || isNeeded) return fault;
  const message = fault.message.replace(/is not a key of .*\.$/, "has no effect here.");
  const { hint, ...rest } = fault;
  // A list of all keys is advice for a key that may be misspelled, not for one of another version.
  const advice = hint === undefined || hint.startsWith("Keys here") ? {} : { hint };
  return { ...rest, ...advice, code: "IGNORED_FIELD", message, warning: true };
}

/** Errors in an included workflow, reported at `include`. */
const faultsIn = ({ name, at, faults }: ReaderContext["included"][number]) =>
  faults.map(
    ({ code, message, hint, warning }): Fault => ({
      code,
      message: `In the included workflow \`${name}\`: ${message}`,
      at,
      ...defined({ hint }),
      ...(warning ? { warning } : {}),
    }),
  );
