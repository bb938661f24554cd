import type { Body, ForEachNode, Items, LoopNode } from "../../src/plan/plan.ts";
import { defined } from "../../src/ports/defined.ts";
import type { StopSpec } from "../../src/stops/index.ts";
import { nativeCall, nativeCallOf, nativeNodeCall } from "./calls.ts";
import type { GraphContext, NativeBase } from "./graph-context.ts";
import { nativeExpression, nativeText } from "./templates.ts";
import { reportGap, type WriterPosition } from "./writer-context.ts";

interface Carried {
  readonly position: WriterPosition;
  readonly base: NativeBase;
  readonly enclosing: GraphContext;
}

/** A loop in native terms. */
export function nativeLoop(node: LoopNode, { position, base, enclosing }: Carried): LoopNode | undefined {
  refuseOfLoop(node, position);
  const inside = insideOf(position);
  const body = nativeBody(node.body, inside, { ...enclosing, isJudged: hasJudge(node) });
  const seen = stopPlace(node, inside, body);
  const stops = node.stops.flatMap((stop) => nativeStop(stop, seen) ?? []);
  const { accumulate, forgetsFailures, ...rest } = node;
  const name = accumulate === undefined ? undefined : position.gathered(accumulate);
  return {
    ...rest,
    ...loopBase(node, base),
    body,
    stops,
    ...(forgetsFailures && node.onError.mode === "continue" ? { forgetsFailures } : {}),
    ...defined({ accumulate: name }),
  } as LoopNode;
}

/** The fields of every node; a loop restarts where other nodes retry. */
const loopBase = ({ retry }: LoopNode | ForEachNode, base: NativeBase): NativeBase => ({
  ...base,
  ...(retry === undefined ? {} : { retry: { times: retry.times, delayMs: retry.delayMs, on: "all" } }),
});

function refuseOfLoop(node: LoopNode, position: WriterPosition): void {
  const { retry, againOn, counts, carry, ending } = node;
  refuseRestarts(retry, position);
  if (node.baseline || node.best !== undefined)
    reportGap(position, "It runs a script that is not carried over.");
  if ([againOn, counts, carry, ending].some((it) => it !== undefined))
    reportGap(position, "It carries values from one iteration to the next in a scope that all blocks share.");
}

const mostRestarts = 20;

function refuseRestarts(retry: LoopNode["retry"], position: WriterPosition): void {
  if (retry === undefined) return;
  const { times, on, grows, leaves } = retry;
  if (grows || leaves !== undefined) reportGap(position, "Its delays grow, or the attempts are remembered.");
  if (on !== "all")
    reportGap(
      position,
      "It restarts only after transient failures; a native loop restarts after every failure.",
    );
  if (times > mostRestarts)
    reportGap(position, `It restarts ${times} times; ${mostRestarts} is the limit of a native file.`);
}

const hasJudge = ({ stops }: LoopNode) => stops.some(({ kind }) => kind === "judge");

/** A loop's body can read the enclosing scope, and an item. */
const insideOf = (position: WriterPosition): WriterPosition => ({ ...position, isInLoop: true });

/** A loop's stops can also read its body. */
function stopPlace(node: LoopNode, position: WriterPosition, body: Body): WriterPosition {
  if (node.body.kind !== "graph" || body.kind !== "graph") return position;
  const inner = new Map(node.body.nodes.map(({ id }, index) => [id, body.nodes[index]?.id ?? id]));
  const reshaped = new Set(node.body.nodes.flatMap((one) => ("gather" in one ? [one.id] : [])));
  return {
    ...position,
    idOf: (id) => inner.get(id) ?? position.idOf(id),
    isReshaped: (id) => (inner.has(id) ? reshaped.has(id) : position.isReshaped(id)),
  };
}

interface BodyScope extends GraphContext {
  readonly isJudged: boolean;
}

function nativeBody(body: Body, position: WriterPosition, { isJudged, ...scope }: BodyScope): Body {
  switch (body.kind) {
    case "agent":
      return { kind: "agent", call: nativeCall(body.call, position, { body: [], isJudged }) };
    case "call":
      return nativeCallOf(body, position, scope);
    case "graph": {
      checkSink(body, position);
      const graph = scope.nativeGraph(body, position, scope);
      const names = graph.nodes.map(({ id }) => id);
      // The previous iteration can be expressed only once all its nodes have names.
      const nodes = graph.nodes.map((node, index) => {
        const source = body.nodes[index];
        if (node.kind !== "agent" || source?.kind !== "agent") return node;
        const inner = new Map(body.nodes.map(({ id }, at) => [id, names[at] ?? id]));
        const own = {
          ...position,
          node: source.id,
          idOf: (id: string) => inner.get(id) ?? position.idOf(id),
        };
        return { ...node, call: nativeNodeCall(source.call, own, { body: names, isJudged }) };
      });
      return { ...graph, nodes };
    }
  }
}

/** The output of a native body is its first output that no node reads; that must be the last node's. */
function checkSink({ nodes, output }: Extract<Body, { kind: "graph" }>, position: WriterPosition): void {
  const read = new Set(nodes.flatMap(({ after }) => after));
  const sinks = nodes.filter(({ id }) => !read.has(id));
  const last = output === "last" ? nodes.at(-1)?.id : output?.node;
  if (
    output === undefined ||
    (sinks.length === 1 && sinks[0]?.id === last && nodes.every(({ when }) => when === undefined))
  )
    return;
  reportGap(
    position,
    "Its output is that of the last step that ran: let one step without a condition depend on all others.",
  );
}

function nativeStop(stop: StopSpec, position: WriterPosition): StopSpec | undefined {
  switch (stop.kind) {
    case "expression": {
      const expression = nativeExpression(stop.expression, position, "until");
      return expression && { kind: "expression", expression };
    }
    case "answer":
      return { ...stop, question: nativeText(stop.question, position) };
    case "judge":
    case "signal":
    case "fail-signal":
    case "until-field":
      return stop;
    default:
      reportGap(position, `A stop of the kind ${stop.kind} is not carried over.`);
      return undefined;
  }
}

/** A loop over items in native terms. */
export function nativeForEach(
  node: ForEachNode,
  { position, base, enclosing }: Carried,
): ForEachNode | undefined {
  refuseOfItems(node, position);
  const items = nativeItems(node, position);
  if (node.gather !== undefined)
    position.writer.notes.add("The result of a loop over items is the list of their outputs.");
  const name = node.accumulate === undefined ? undefined : position.gathered(node.accumulate);
  if (items === undefined) return undefined;
  return {
    ...loopBase(node, base),
    kind: "for-each",
    items,
    body: nativeBody(node.body, insideOf(position), { ...enclosing, isJudged: false }),
    atMost: node.atMost,
    ...defined({ spread: node.spread }),
    isolation: node.isolation,
    onError: node.onError,
    delayMs: node.delayMs,
    output: node.output,
    ...defined({ timeoutMs: node.timeoutMs, accumulate: name }),
  };
}

function refuseOfItems(node: ForEachNode, position: WriterPosition): void {
  const { eachMs, minRate, finishes, retry, onError, max, items } = node;
  refuseRestarts(retry, position);
  if (eachMs !== undefined) reportGap(position, "It limits the time of each item.");
  if (minRate !== undefined) reportGap(position, "It fails if too few items succeed.");
  if (finishes && onError.mode === "fail")
    reportGap(position, "All items run before a failed one fails the loop.");
  if (onError.mode === "retry" && onError.afterwards !== undefined)
    reportGap(position, "It skips an item that keeps failing.");
  const fits = items.kind === "list" && items.list.length <= (max ?? Infinity);
  if (max !== undefined && !fits)
    reportGap(position, "It limits the number of items, and its list may be longer.");
}

function nativeItems({ items }: ForEachNode, position: WriterPosition): Items | undefined {
  switch (items.kind) {
    case "list":
      if (items.list.length === 0) reportGap(position, "Its list is empty.");
      return items;
    case "cel": {
      const expression = nativeExpression(items, position, "items");
      const alone = expression?.variables[expression.source];
      if (alone !== undefined) return { kind: "text", text: [alone] };
      return expression && { kind: "cel", ...expression };
    }
    case "file":
      reportGap(position, "Its items are in a file: let a step print the file.");
      return undefined;
    case "text":
      if (items.values) reportGap(position, "Its items are lines of JSON: let a step output a JSON list.");
      return { kind: "text", text: nativeText(items.text, position) };
  }
}
