import type { LoopNode, Node } from "../../plan/plan.ts";
import type { StopSpec } from "../../stops/index.ts";
import { readIterationLimit } from "../iteration-limit.ts";
import { reportFault, reportKeys } from "../report-fault.ts";
import { gatheringOf } from "./dependencies.ts";
import { readIterate } from "./iterate.ts";
import type { RawLoop, RawStep } from "./raw-step.ts";
import type { ReaderContext } from "./reader-context.ts";
import { type LoopSource, type NodeBase, readBody, readOnFailure, timeLimit } from "./repeat.ts";
import { ended, readText, repeating } from "./templates.ts";

const mostIterations = 10_000;

/** Reads a loop: over items, or one that refines until its condition is met. */
export function readLoop(reader: ReaderContext, rawStep: RawStep, base: NodeBase): Node | undefined {
  const { loop } = rawStep;
  if (loop === undefined) return undefined;
  checkGathering(reader, rawStep, loop);
  const max = readMax(reader, loop);
  if (loop.fields.mode === "iterate") return readIterate(reader, { rawStep, loop, max }, base);
  return readRefine(reader, { rawStep, loop, max }, base);
}

function readRefine(
  reader: ReaderContext,
  { rawStep, loop, max }: LoopSource,
  base: NodeBase,
): LoopNode | undefined {
  refuseIterateKeys(reader, loop);
  const stop = readUntil(reader, rawStep.id, loop);
  const body = readBody(reader, { rawStep, loop, texts: repeating });
  if (max === undefined || stop === undefined || body === undefined) return undefined;
  return {
    ...base,
    kind: "loop",
    body,
    stops: [stop],
    mode: "any",
    max,
    onMax: "succeed",
    onError: readOnFailure(loop),
    forgetsFailures: true,
    session: "fresh",
    ...timeLimit(loop),
    delayMs: 0,
    output: "last",
    accumulate: gatheringOf(rawStep),
    baseline: false,
    protect: [],
  };
}

function readUntil(
  reader: ReaderContext,
  element: string,
  { fields, raw, at }: RawLoop,
): StopSpec | undefined {
  const place = [...at, "until"];
  if (!Object.hasOwn(raw, "until")) {
    const hint = 'Add a condition in plain words, like until: "The output says PASS".';
    return reportFault(reader, "LOOP_NO_STOP", {
      message: "This loop has no exit condition.",
      at,
      onKey: true,
      hint,
    });
  }
  const source = fields.until;
  if (source === undefined) return undefined;
  if (source === null || source.trim() === "")
    return reportFault(reader, "LOOP_BLANK_STOP", {
      message: "`until` is blank.",
      at: place,
      onKey: source === null,
    });
  return {
    kind: "answer",
    question: readText(reader, { source, at: place, element, loop: ended }),
    onError: "go-on",
  };
}

const readMax = (reader: ReaderContext, loop: RawLoop): number | undefined =>
  readIterationLimit(reader, loop, {
    key: "max_iterations",
    most: mostIterations,
    missing: "Add max_iterations: 5, say.",
  });

/** Keys that are allowed only in a loop over items. */
function refuseIterateKeys(reader: ReaderContext, { raw, at }: RawLoop): void {
  const all = ["items", "parallel", "max_workers", "min_success_rate", "timeout_per_item"];
  const keys = all.filter((key) => raw[key] !== false);
  const message = (key: string) =>
    `\`${key}\` works only with \`mode: iterate\`: each iteration of this loop builds on the last.`;
  reportKeys(reader, "LOOP_MODE_CONFLICT", { keys, object: raw, at, message });
}

function checkGathering(reader: ReaderContext, { id }: RawStep, { fields, at }: RawLoop): void {
  const name = fields.accumulate;
  if (name === undefined) return;
  const place = [...at, "accumulate"];
  const isOther = reader.names.gatheredBy(name)?.loop !== id;
  if (name.trim() !== name || name === "" || /[{}]/.test(name) || name in Object.prototype) {
    reportFault(reader, "BAD_VALUE", {
      message: `\`${name}\` cannot be the name of a variable.`,
      at: place,
      hint: "Write a name such as `history`, without braces.",
    });
  } else if (isOther || reader.names.has(name) || /^(?:input$|loop\.|env\.|step\.|LOOP_)/.test(name)) {
    reportFault(reader, "BAD_VALUE", {
      message: `\`{{${name}}}\` is already used for something else.`,
      at: place,
    });
  }
}
