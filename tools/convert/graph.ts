import { inFileOrder } from "../../src/dialects/loops/dependencies.ts";
import { inputNames } from "../../src/plan/inputs.ts";
import type { Graph, Node, Plan, ScriptNode } from "../../src/plan/plan.ts";
import { nativeCallOf, nativeNodeCall } from "./calls.ts";
import { nativeConsensus } from "./consensus.ts";
import type { GraphContext, NativeBase } from "./graph-context.ts";
import { nativeForEach, nativeLoop } from "./loops.ts";
import type { CodeOf } from "./program.ts";
import { sequenceToGraph } from "./sequence-to-graph.ts";
import { nativeCondition, nativeText } from "./templates.ts";
import {
  nativeName,
  openWriterContext,
  reportGap,
  type WriterContext,
  type WriterPosition,
} from "./writer-context.ts";

/** A plan in native terms, and the parts that these cannot express. */
export interface NativePlan extends WriterContext {
  readonly plan: Plan;
}

/** Converts a plan of any language to native terms: order, prompts and expressions. */
export function toNativePlan(written: Plan, codeOf: CodeOf = () => undefined): NativePlan {
  const writer = openWriterContext();
  const top: WriterPosition = {
    writer,
    node: undefined,
    idOf: (id) => id,
    isConditional: () => false,
    isReshaped: () => false,
    gathered: () => undefined,
    isInLoop: false,
  };
  const plan = sequenceToGraph(written, top, codeOf);
  if (plan.coordinator !== undefined)
    reportGap(top, "The file has a coordinator agent; in a native file, messages go to people.");
  const body = nativeGraph(plan.body, top, {
    plan,
    taken: new Set(),
    workflows: plan.workflows,
    nativeGraph,
  });
  const { naming: _, coordinator: __, ...head } = plan;
  const declared = [...writer.inputs].map(([name, text]) => [name, { default: text }] as const);
  const inputs = { ...Object.fromEntries(declared), ...plan.inputs };
  for (const name of inputNames({ inputs: {}, body }))
    if (!Object.hasOwn(inputs, name))
      reportGap(top, `The input \`${name}\` is not declared: declare it under \`inputs\`.`);
  const { timeoutMs } = plan.body;
  const whole = timeoutMs === undefined ? body : { ...body, timeoutMs };
  return { ...writer, plan: { ...head, dialect: "native", inputs, body: whole } };
}

/** A graph in native terms; nodes with invalid ids get new ones. */
function nativeGraph(graph: Graph, parent: WriterPosition, { plan, taken, workflows }: GraphContext): Graph {
  const { writer } = parent;
  if (graph.onFailure === "abort") reportGap(parent, "A failed step ends the whole run at once.");
  if (graph.onFailure === "cancel" && graph.nodes.some(({ after }) => after.length > 0))
    writer.notes.add("What depends on a failed step is skipped, not cancelled.");
  const sequel = orderOf(graph, parent);
  const names = new Set(taken);
  const ids = new Map<string, string>();
  for (const { id } of graph.nodes) {
    const name = nativeName(id, names);
    if (name !== id) writer.notes.add(`\`${id}\` is called \`${name}\`.`);
    names.add(name);
    ids.set(id, name);
  }
  const gathered = gatheredIn(graph, plan);
  const conditional = new Set(graph.nodes.flatMap(({ id, when }) => (when === undefined ? [] : [id])));
  const reshaped = new Set(graph.nodes.flatMap((node) => ("gather" in node ? [node.id] : [])));
  const nodes = graph.nodes.flatMap((node) => {
    const position: WriterPosition = {
      ...parent,
      node: node.id,
      idOf: (id) => ids.get(id) ?? parent.idOf(id),
      isConditional: (id) => conditional.has(id) || parent.isConditional(id),
      isReshaped: (id) => (ids.has(id) ? reshaped.has(id) : parent.isReshaped(id)),
      gathered: (name) => gathered.get(name) ?? parent.gathered(name),
    };
    const after = [...new Set([...node.after, ...(sequel.get(node.id) ?? [])])];
    return nativeNode({ ...node, after }, position, { plan, taken: names, workflows, nativeGraph }) ?? [];
  });
  return { kind: "graph", nodes, atMost: plan.body.atMost };
}

/** The names under which loops collect their outputs, if a text reads them. */
function gatheredIn({ nodes }: Graph, plan: Plan): ReadonlyMap<string, string> {
  const whole = JSON.stringify(plan.body);
  return new Map(
    nodes.flatMap((node) => {
      const name = "accumulate" in node ? node.accumulate : undefined;
      const isRead = name !== undefined && whole.includes(`{"ref":"value","name":${JSON.stringify(name)}}`);
      return isRead ? [[name, nativeName(name, new Set()).replaceAll("-", "_")] as const] : [];
    }),
  );
}

/** Additional dependencies of each node, if nodes run one at a time in file order. */
function orderOf(graph: Graph, position: WriterPosition): ReadonlyMap<string, readonly string[]> {
  if (!graph.inOrder || graph.nodes.length < 2) return new Map();
  if (graph.atMost > 1) {
    reportGap(
      position,
      "Steps run side by side and stop at the first failure; native nodes that do not depend on a failed one go on.",
    );
    return new Map();
  }
  const done = inFileOrder(graph.nodes);
  const read = new Set(graph.nodes.flatMap(({ after }) => after));
  if (position.node === undefined && graph.nodes.find(({ id }) => !read.has(id))?.id !== done.at(-1))
    position.writer.notes.add("The output of the run is that of its last step.");
  return new Map(done.slice(1).map((id, index) => [id, [done[index] ?? ""]]));
}

function nativeNode(
  node: Node,
  position: WriterPosition,
  enclosing: GraphContext,
): Node | readonly Node[] | undefined {
  const base = nativeBase(node, position);
  switch (node.kind) {
    case "agent":
      if (node.judges !== undefined)
        reportGap(position, "It is a gate that judges another block by the first line of its answer.");
      return { ...base, kind: "agent", call: nativeNodeCall(node.call, position) };
    case "loop":
      return nativeLoop(node, { position, base, enclosing });
    case "for-each":
      return nativeForEach(node, { position, base, enclosing });
    case "call":
      if (node.timeoutMs !== undefined) reportGap(position, "It limits the time of the workflow it runs.");
      return { ...base, kind: "call", call: nativeCallOf(node.call, position, enclosing) };
    case "cancel":
      return { ...base, kind: "cancel", reason: nativeText(node.reason, position) };
    case "script":
      return nativeScript(node, { position, base });
    case "parallel":
      if (node.agree !== undefined) return nativeConsensus(node, { position, base, enclosing });
      reportGap(
        position,
        "Several souls work side by side in it, and hand on a list; write a node for each of them.",
      );
      return undefined;
    default:
      reportGap(position, `A ${node.kind} of another language is not carried over.`);
      return undefined;
  }
}

function nativeScript(
  node: ScriptNode,
  { position, base }: { readonly position: WriterPosition; readonly base: NativeBase },
): Node {
  const { source, runtime, deps, env = {}, timeoutMs } = node;
  const variables = Object.entries(env).map(([name, text]) => [name, nativeText(text, position)] as const);
  return {
    ...base,
    kind: "script",
    runtime,
    source: "inline" in source ? { inline: nativeText(source.inline, position) } : source,
    deps,
    ...(variables.length === 0 ? {} : { env: Object.fromEntries(variables) }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}

function nativeBase(
  { kind, id, after, trigger, when, retry, mayFail, catches, exits }: Node,
  position: WriterPosition,
): NativeBase {
  const isLoop = kind === "loop" || kind === "for-each";
  const condition = when && nativeCondition(when, position);
  if (mayFail) reportGap(position, "It may fail without failing the run.");
  if (catches !== undefined || exits !== undefined)
    reportGap(position, "Its exit decides what runs next, which a native file cannot express.");
  return {
    id: position.idOf(id),
    after: after.map((one) => position.idOf(one)),
    // Earlier nodes can be skipped only by a failure.
    trigger: trigger === "none_failed" && !after.some(position.isConditional) ? "all_success" : trigger,
    ...(condition === undefined ? {} : { when: condition }),
    ...(retry === undefined || isLoop ? {} : { retry: nativeRetry(retry, position) }),
  };
}

const shortestDelayMs = 1000;
const mostTimes = 5;

function nativeRetry(
  retry: NonNullable<Node["retry"]>,
  position: WriterPosition,
): NonNullable<Node["retry"]> {
  const { times, delayMs, on, grows, leaves } = retry;
  if (times > mostTimes)
    reportGap(position, `It is retried ${times} times; ${mostTimes} is the limit of a native file.`);
  if (grows || leaves !== undefined) reportGap(position, "Its delays grow, or the attempts are remembered.");
  if (delayMs < shortestDelayMs) position.writer.notes.add("A step is retried after a second, not at once.");
  return { times, delayMs: Math.max(delayMs, shortestDelayMs), on };
}
