import type { Body, ForEachNode, Items, LoopNode, Section } from "../../plan/plan.ts";
import { jsonValues } from "../../ports/json.ts";
import type { StopSpec } from "../../stops/index.ts";
import { readIterationLimit } from "../iteration-limit.ts";
import { isMapping, parseFields } from "../parse-fields.ts";
import { reportFault, reportKeys, warnOfKeys } from "../report-fault.ts";
import { checkJudge } from "./agents.ts";
import { readExpression, type Visible } from "./expressions.ts";
import { type ReadStep, readGraph } from "./graph.ts";
import type { EnclosingContext, RawLoop, RawStep, StepContext } from "./raw-step.ts";
import type { ReaderContext } from "./reader-context.ts";
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
  const keys = notWithForEach.filter((key) => key !== "delay" || fields.delay !== 0);
  const message = (key: string) => `\`${key}\` cannot be combined with \`forEach\`: the list ends the loop.`;
  reportKeys(reader, "LOOP_MODE_CONFLICT", { keys, object: raw, at, message });
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
      hint: "For example `forEach: [first, second]`.",
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
  warnOfKeys(reader, {
    keys: ["agent", "instructions", "contextFiles", "model"],
    object: loop.rawStep.raw,
    at: loop.rawStep.at,
    message: (key) => `\`${key}\` has no effect beside the loop's own \`steps\`.`,
  });
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

/** Reads how often a loop may repeat. */
const readMax = (reader: ReaderContext, loop: RawLoop): number | undefined =>
  readIterationLimit(reader, loop, {
    key: "maxIterations",
    missing: "Add maxIterations: 5, say; or forEach, to run once for each item of a list.",
  });

/** Reads what ends a loop early: the expression first, then the judge. */
function readStops(reader: ReaderContext, { at, fields }: RawLoop, visible: Visible): readonly StopSpec[] {
  const stops: StopSpec[] = [];
  const { until, untilAgent } = fields;
  if (until !== undefined && !isBlank(reader, until, [...at, "until"])) {
    const expression = readExpression(reader, { source: until, at: [...at, "until"] }, visible);
    if (expression !== undefined) stops.push({ kind: "expression", expression });
  }
  if (untilAgent !== undefined && !isBlank(reader, untilAgent, [...at, "untilAgent"])) {
    checkJudge(reader, untilAgent, [...at, "untilAgent"]);
    stops.push({ kind: "judge", agent: untilAgent, onError: "go-on", insists: true, sees: "history" });
  }
  return stops;
}

function isBlank(reader: ReaderContext, text: string, at: RawLoop["at"]): boolean {
  if (text.trim() !== "") return false;
  reportFault(reader, "LOOP_BLANK_STOP", { message: `\`${at.at(-1)}\` is blank.`, at });
  return true;
}
