import type { Body, ForEachNode, Items, LoopNode, Section } from "../../plan/plan.ts";
import { jsonValues } from "../../ports/json.ts";
import { isMapping, parseFields } from "../parse-fields.ts";
import { reportFault, warnOfKey } from "../report-fault.ts";
import { readExpression } from "./expressions.ts";
import { type ReadStep, readGraph } from "./graph.ts";
import type { EnclosingContext, RawLoop, RawStep, StepContext } from "./raw-step.ts";
import type { ReaderContext } from "./reader-context.ts";
import { readMax, readStops } from "./repeat.ts";
import { loopFields } from "./schema.ts";

interface LoopContext {
  readonly context: StepContext;
  readonly readStep: ReadStep;
}

/** Maximum number of parallel items, whatever the file says. */
const mostItems = 100;

/** Reads a repeated step: until a stop fires, or for each item of a list. */
export function readLoop(
  reader: ReaderContext,
  rawStep: RawStep,
  { context, readStep }: LoopContext,
): LoopNode | ForEachNode | undefined {
  const at = [...rawStep.at, "loop"];
  const raw = rawStep.raw["loop"];
  if (context.enclosing.isInLoop)
    return reportFault(reader, "LOOP_NESTED", {
      message: "A loop's steps cannot be loops themselves.",
      at,
      onKey: true,
    });
  const fields = parseFields(raw, { fields: loopFields, at, faults: reader.faults });
  if (!isMapping(raw)) return undefined;
  const loop: RawLoop = { rawStep, at, raw, fields };
  return Object.hasOwn(raw, "forEach")
    ? readForEach(reader, loop, { context, readStep })
    : readRepeat(reader, loop, { context, readStep });
}

function readRepeat(
  reader: ReaderContext,
  loop: RawLoop,
  { context, readStep }: LoopContext,
): LoopNode | undefined {
  const { fields, rawStep } = loop;
  const max = readMax(reader, loop);
  const { body, inner } = readBody(reader, loop, {
    context,
    readStep,
    sections: { every: [], entry: [...entryOf(loop, context), { kind: "previous" }, { kind: "feedback" }] },
  });
  const visible = { ids: [...inner, ...context.visible.ids], after: rawStep.after };
  const stops = readStops(reader, loop, visible);
  if (body === undefined || max === undefined) return undefined;
  return {
    ...context.base,
    ...timeLimit(loop),
    kind: "loop",
    body,
    stops,
    mode: "any",
    max,
    onMax: stops.length > 0 ? "fail" : "succeed",
    onError: { mode: "fail" },
    session: "fresh",
    delayMs: fields.delay ?? 0,
    output: fields.outputMode === "cumulative" ? "transcript" : "last",
    baseline: false,
    protect: [],
  };
}

const notWithForEach = ["maxIterations", "until", "untilAgent", "delay"];

function readForEach(
  reader: ReaderContext,
  loop: RawLoop,
  { context, readStep }: LoopContext,
): ForEachNode | undefined {
  const { fields, raw, at } = loop;
  // A delay of zero is the default.
  const conflicts = notWithForEach.filter(
    (it) => Object.hasOwn(raw, it) && !(it === "delay" && fields.delay === 0),
  );
  for (const key of conflicts) {
    const message = `\`${key}\` cannot be combined with \`forEach\`: the list ends the loop.`;
    reportFault(reader, "LOOP_MODE_CONFLICT", { message, at: [...at, key], onKey: true });
  }
  const items = readItems(reader, loop, context);
  const { body } = readBody(reader, loop, {
    context,
    readStep,
    sections: { every: [{ kind: "item", title: "forEach Item" }], entry: entryOf(loop, context) },
  });
  if (items === undefined || body === undefined) return undefined;
  // Without a limit in the file, all items run in parallel.
  const allowed = Math.min(fields.maxConcurrency || Infinity, reader.options.itemsAtMost ?? Infinity);
  return {
    ...context.base,
    ...timeLimit(loop),
    kind: "for-each",
    items,
    body,
    atMost: Math.min(allowed, mostItems),
    ...(allowed > mostItems ? { capped: true } : {}),
    gather: "iterations",
    isolation: "shared",
    onError: { mode: "fail" },
    delayMs: 0,
    output: fields.outputMode === "cumulative" ? "cumulative" : "last",
  };
}

const timeLimit = ({ rawStep: { fields } }: RawLoop) =>
  fields.timeout === undefined ? {} : { timeoutMs: fields.timeout };

function readItems(reader: ReaderContext, { raw, at }: RawLoop, { visible }: StepContext): Items | undefined {
  const place = [...at, "forEach"];
  const value = raw["forEach"];
  if (Array.isArray(value) && value.length > 0) {
    return { kind: "list", list: jsonValues(value) };
  }
  if (Array.isArray(value))
    reportFault(reader, "LOOP_EMPTY_LIST", { message: "The list of `forEach` is empty.", at: place });
  else if (typeof value !== "string") {
    reportFault(reader, "BAD_VALUE", {
      message: "`forEach` must be a list, or an expression that returns one.",
      at: place,
    });
  } else {
    const expression = readExpression(reader, { source: value, at: place }, visible);
    return expression && { kind: "cel", ...expression };
  }
  return undefined;
}

interface BodyContext extends LoopContext {
  /** The additional names that prompts inside the loop can use. */
  readonly sections: { readonly every: readonly Section[]; readonly entry: readonly Section[] };
}

/** The first steps of the body get the context of the loop's own step. */
const entryOf = ({ rawStep }: RawLoop, { enclosing, sections }: StepContext): readonly Section[] => [
  ...(rawStep.after.length === 0 ? enclosing.entry : []),
  ...sections,
];

interface ReadBody {
  readonly body: Body | undefined;
  /** The ids of the steps inside. */
  readonly inner: readonly string[];
}

function readBody(
  reader: ReaderContext,
  loop: RawLoop,
  { context, readStep, sections }: BodyContext,
): ReadBody {
  const { fields, raw, at } = loop;
  const every = [...context.enclosing.every, ...sections.every];
  if (!Object.hasOwn(raw, "steps")) {
    const call = { ...context.call, sections: [...every, ...sections.entry] };
    return { body: { kind: "agent", call }, inner: [] };
  }
  warnOfUnused(reader, loop);
  const { steps } = fields;
  if (steps === undefined) return { body: undefined, inner: [] };
  const place = [...at, "steps"];
  if (steps.length === 0) {
    reportFault(reader, "LOOP_EMPTY_BODY", { message: "The loop's list of steps is empty.", at: place });
    return { body: undefined, inner: [] };
  }
  const inside: EnclosingContext = {
    outer: context.visible.ids,
    every,
    entry: sections.entry,
    isInLoop: true,
  };
  const body = readGraph(reader, { steps, at: place, enclosing: inside }, readStep);
  return { body, inner: body.nodes.map(({ id }) => id) };
}

/** A loop with its own steps runs those instead of its step. */
function warnOfUnused(reader: ReaderContext, { rawStep }: RawLoop): void {
  for (const key of ["agent", "instructions", "contextFiles", "model"]) {
    if (!Object.hasOwn(rawStep.raw, key)) continue;
    const message = `\`${key}\` has no effect beside the loop's own \`steps\`.`;
    warnOfKey(reader, [...rawStep.at, key], message);
  }
}
