import type { CallNode, ForEachNode, Items } from "../../plan/plan.ts";
import type { Json } from "../../ports/json.ts";
import { type ParsedFields, parseFields } from "../parse-fields.ts";
import { reportFault } from "../report-fault.ts";
import { readCall } from "./call.ts";
import type { NodeContext, NodeReaderContext, RawNode } from "./raw-node.ts";
import type { ReaderContext } from "./reader-context.ts";
import { fanOutFields } from "./schema.ts";
import { readExpression, readText } from "./templates.ts";

/** Reads a node that calls another workflow: once, or once for each item of a list. */
export function readWorkflow(
  reader: ReaderContext,
  rawNode: RawNode,
  context: NodeReaderContext,
): CallNode | ForEachNode | undefined {
  const { fields, raw, at } = rawNode;
  if (fields.workflow === undefined) return undefined;
  if (fields.input !== undefined && (fields.message !== undefined || fields.with !== undefined)) {
    const other = fields.message === undefined ? "with" : "message";
    const message = `A workflow is given \`input\` or \`${other}\`, not both.`;
    reportFault(reader, "BAD_VALUE", { message, at: [...at, "input"], onKey: true });
  }
  if (Object.hasOwn(raw, "fan_out")) return readFanOut(reader, rawNode, context);
  if (fields.isolation === "worktree") {
    const message = "`isolation: worktree` has no effect on one call: it works in the run's checkout.";
    reportFault(reader, "IGNORED_FIELD", { message, at: [...at, "isolation"], onKey: true, warning: true });
  }
  const call = callOf(reader, rawNode, context);
  return call && { ...context.base, kind: "call", call };
}

const callOf = (reader: ReaderContext, { fields, at }: RawNode, { names }: NodeContext) =>
  readCall(reader, {
    workflow: fields.workflow ?? "",
    values: fields.with ?? {},
    message: fields.input ?? fields.message,
    messageKey: fields.input === undefined ? "message" : "input",
    at,
    names,
  });

/** Archon's default. */
const atATime = 5;

/**
 * Each item calls the workflow with the item as its message. The outputs are a JSON list in the order of the items.
 */
function readFanOut(
  reader: ReaderContext,
  rawNode: RawNode,
  context: NodeReaderContext,
): ForEachNode | undefined {
  const at = [...rawNode.at, "fan_out"];
  const fields = parseFields(rawNode.raw["fan_out"], { fields: fanOutFields, at, faults: reader.faults });
  const items = readItems(reader, { fields, at, names: context.names });
  const call = callOf(reader, rawNode, context);
  if (items === undefined || call === undefined) return undefined;
  const item = { ref: "item" } as const;
  return {
    ...context.base,
    kind: "for-each",
    items,
    body: {
      ...call,
      message: [item],
      with: { ...call.with, ...(fields.as === undefined ? {} : { [fields.as]: [item] }) },
    },
    atMost: fields.max_parallel ?? atATime,
    isolation: rawNode.fields.isolation === "worktree" ? "worktree" : "shared",
    onError: { mode: fields.join === "all_success" ? "fail" : "continue" },
    finishes: true,
    delayMs: 0,
    output: "last",
    gather: "outputs",
  };
}

interface ItemsSource extends Pick<NodeContext, "names"> {
  readonly fields: ParsedFields<typeof fanOutFields>;
  readonly at: RawNode["at"];
}

/** The output of a node, an input, or an inline JSON list. */
function readItems(reader: ReaderContext, { fields, at, names }: ItemsSource): Items | undefined {
  const source = fields.items?.trim() ?? "";
  const place = [...at, "items"];
  if (/^\$[A-Za-z_][\w-]*\.output(?:\.\w+)?$/.test(source)) {
    const expression = readExpression(reader, { source, at: place, names });
    return expression && { kind: "cel", ...expression };
  }
  if (/^\$INPUTS\.[\w-]+$/.test(source))
    return { kind: "text", text: readText(reader, { source, at: place, names }) };
  const list = listIn(source);
  if (list !== undefined) return { kind: "list", list };
  const hint = "Write items: $id.output, or a field of it, where the output is a JSON list.";
  const message = "`fan_out` needs `items`: the output of a node, an input or a JSON list.";
  return reportFault(reader, "BAD_VALUE", { message, at: fields.items === undefined ? at : place, hint });
}

function listIn(source: string): readonly Json[] | undefined {
  try {
    const value = JSON.parse(source) as Json;
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
