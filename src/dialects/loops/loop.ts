import type { LoopNode, Node } from "../../plan/plan.ts";
import type { StopSpec } from "../../stops/index.ts";
import { quotingHint } from "../parse-fields.ts";
import { reportFault } from "../report-fault.ts";
import { gatheringOf } from "./dependencies.ts";
import { readIterate } from "./iterate.ts";
import type { RawLoop, RawStep } from "./raw-step.ts";
import type { ReaderContext } from "./reader-context.ts";
import { type LoopSource, type NodeBase, readBody, readOnFailure, timeLimit } from "./repeat.ts";
import { ended, readText, repeating } from "./templates.ts";

const mostIterations = 10_000;

/** Reads a loop: one that refines until its condition is met, or one over items. */
export function readLoop(sheet: ReaderContext, draft: RawStep, base: NodeBase): Node | undefined {
  const { loop } = draft;
  if (loop === undefined) return undefined;
  checkGathering(sheet, draft, loop);
  const max = readMax(sheet, loop);
  if (loop.fields.mode === "iterate") return readIterate(sheet, { draft, loop, max }, base);
  return readRefine(sheet, { draft, loop, max }, base);
}

function readRefine(
  sheet: ReaderContext,
  { draft, loop, max }: LoopSource,
  base: NodeBase,
): LoopNode | undefined {
  refuseIterateKeys(sheet, loop);
  const stop = readUntil(sheet, draft.id, loop);
  const body = readBody(sheet, { draft, loop, texts: repeating });
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
    accumulate: gatheringOf(draft),
    baseline: false,
    protect: [],
  };
}

function readUntil(
  sheet: ReaderContext,
  element: string,
  { fields, raw, at }: RawLoop,
): StopSpec | undefined {
  const place = [...at, "until"];
  if (!Object.hasOwn(raw, "until")) {
    const hint = 'Add a condition in plain words, like until: "The output says PASS".';
    reportFault(sheet, "LOOP_NO_STOP", {
      message: "This loop has no exit condition.",
      at,
      onKey: true,
      hint,
    });
    return undefined;
  }
  const source = fields.until;
  if (source === undefined) return undefined;
  if (source === null || source.trim() === "") {
    reportFault(sheet, "LOOP_BLANK_STOP", {
      message: "`until` is blank.",
      at: place,
      onKey: source === null,
    });
    return undefined;
  }
  return {
    kind: "answer",
    question: readText(sheet, { source, at: place, element, loop: ended }),
    onError: "go-on",
  };
}

function readMax(sheet: ReaderContext, { raw, at }: RawLoop): number | undefined {
  const max = raw["max_iterations"];
  if (max === undefined || max === null) {
    const hint = "Add max_iterations: 5, say.";
    reportFault(sheet, "LOOP_MAX_MISSING", {
      message: "A loop needs `max_iterations`.",
      at,
      onKey: true,
      hint,
    });
    return undefined;
  }
  if (typeof max === "number" && Number.isInteger(max) && max >= 1 && max <= mostIterations) return max;
  const message = `\`max_iterations\` must be a whole number from 1 to ${mostIterations}.`;
  reportFault(sheet, "LOOP_MAX_RANGE", { message, at: [...at, "max_iterations"], hint: quotingHint(max) });
  return undefined;
}

/** What only means something where a loop goes over items. */
function refuseIterateKeys(sheet: ReaderContext, { raw, at }: RawLoop): void {
  for (const key of ["items", "parallel", "max_workers", "min_success_rate", "timeout_per_item"]) {
    if (!Object.hasOwn(raw, key) || raw[key] === false) continue;
    const message = `\`${key}\` works with \`mode: iterate\` only: each iteration of this loop builds on the last.`;
    reportFault(sheet, "LOOP_MODE_CONFLICT", { message, at: [...at, key], onKey: true });
  }
}

function checkGathering(sheet: ReaderContext, { id }: RawStep, { fields, at }: RawLoop): void {
  const name = fields.accumulate;
  if (name === undefined) return;
  const place = [...at, "accumulate"];
  const isOther = sheet.names.gatheredBy(name)?.loop !== id;
  if (name.trim() !== name || name === "" || /[{}]/.test(name) || name in Object.prototype) {
    reportFault(sheet, "BAD_VALUE", { message: `\`${name}\` cannot be the name of a variable.`, at: place });
  } else if (isOther || sheet.names.has(name) || /^(?:input$|loop\.|env\.|step\.|LOOP_)/.test(name)) {
    reportFault(sheet, "BAD_VALUE", { message: `\`{{${name}}}\` has a meaning already.`, at: place });
  }
}
