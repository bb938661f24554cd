import type { Body } from "../../plan/plan.ts";
import { reportFault, warnOfKeys } from "../report-fault.ts";
import { agentCall, readCall, readDefaults, readForm, readPrompt } from "./call.ts";
import type { Names } from "./names-in-scope.ts";
import type { LoopContext, RawLoop } from "./raw-loop.ts";
import type { CallDefaults, ReaderContext } from "./reader-context.ts";

export interface ReadBody {
  readonly body: Body | undefined;
  /** What the loop's own texts can reference: its stops, its gate, its metric. */
  readonly names: Names;
}

const agentKeys = ["agent", "provider", "model", "idle_timeout", "timeout"];
const answerKeys = ["output_format", "output_required"];
const bodyKeys = ["prompt", "command", "nodes", "workflow"] as const;

/** Reads what a loop repeats. */
export function readBody(reader: ReaderContext, loop: RawLoop, context: LoopContext): ReadBody {
  const { fields, at, raw, rawNode } = loop;
  const names = namesInside(loop, context.names);
  const kinds = bodyKeys.filter((key) => Object.hasOwn(raw, key));
  const [key, second] = kinds;
  const defaults = readDefaults(reader, rawNode, context.enclosing.defaults);
  if (key !== "workflow") {
    const message = (one: string) => `\`${one}\` goes with \`workflow\`.`;
    warnOfKeys(reader, { keys: ["with", "message"], object: raw, at, message });
  }
  if (second !== undefined) {
    const message = `A loop repeats one thing; this one has ${kinds.join(" and ")}.`;
    const hint = `Keep one of them; several steps belong under \`nodes\`.`;
    reportFault(reader, "ONE_KIND", { message, at: [...at, second], onKey: true, hint });
    return { body: undefined, names };
  }
  switch (key) {
    case undefined: {
      const message = `A loop needs something to repeat: one of ${bodyKeys.join(", ")}.`;
      reportFault(reader, "LOOP_EMPTY_BODY", { message, at, onKey: true });
      return { body: undefined, names };
    }
    case "nodes":
      return readNodes(reader, loop, { ...context, names, defaults });
    case "workflow": {
      warnOfUseless(reader, loop, [...agentKeys, ...answerKeys]);
      const { workflow, with: values = {}, message } = fields;
      const call = workflow === undefined ? undefined : { workflow, values, message, at, names };
      return { body: call && readCall(reader, call), names };
    }
    default: {
      const value = fields[key];
      const prompt = value === undefined ? undefined : readPrompt(reader, { key, value, at, names });
      const call = prompt && agentCall(prompt, defaults, readForm(reader, rawNode));
      return { body: call && { kind: "agent", call }, names };
    }
  }
}

function readNodes(
  reader: ReaderContext,
  loop: RawLoop,
  { names, enclosing, defaults }: LoopContext & { defaults: CallDefaults },
): ReadBody {
  const { fields, at } = loop;
  warnOfUseless(reader, loop, answerKeys);
  if (fields.nodes === undefined) return { body: undefined, names };
  const place = [...at, "nodes"];
  if (fields.nodes.length === 0) {
    reportFault(reader, "LOOP_EMPTY_BODY", { message: "The body of the loop has no nodes.", at: place });
    return { body: undefined, names };
  }
  const inner = new Set(fields.nodes.flatMap((node) => idOf(node) ?? []));
  const inside: Names = { ...names, previous: (id) => inner.has(id) || names.previous(id) };
  const source = { nodes: fields.nodes, at: place, enclosing: { ...enclosing, names: inside, defaults } };
  const { graph, ids, fields: declared } = reader.readGraph(reader, source);
  return {
    body: graph,
    names: {
      ...inside,
      sees: (id) => ids.has(id) || inside.sees(id),
      exists: (id) => ids.has(id) || inside.exists(id),
      fields: (id) => (ids.has(id) ? declared.get(id) : inside.fields(id)),
      candidates: () => [...ids, ...inside.candidates()],
    },
  };
}

function namesInside({ fields, raw }: RawLoop, names: Names): Names {
  const hasItem = names.hasItem || Object.hasOwn(raw, "for_each");
  if (fields.accumulate === undefined) return { ...names, isInLoop: true, hasItem };
  return { ...names, isInLoop: true, hasItem, values: new Set([...names.values, fields.accumulate]) };
}

function idOf(node: unknown): string | undefined {
  const id = typeof node === "object" && node !== null && "id" in node ? node.id : undefined;
  return typeof id === "string" ? id : undefined;
}

function warnOfUseless(
  reader: ReaderContext,
  { rawNode: { raw, at } }: RawLoop,
  keys: readonly string[],
): void {
  const message = (key: string) => `\`${key}\` has no effect on a loop with a body of this kind.`;
  warnOfKeys(reader, { keys, object: raw, at, message });
}
