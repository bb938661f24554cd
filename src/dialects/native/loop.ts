import type { ForEachNode, LoopNode } from "../../plan/plan.ts";
import { note } from "../note.ts";
import { isMapping, shape, unquoted } from "../shape.ts";
import { warnIfNotInteractive } from "./approval.ts";
import { readBody } from "./body.ts";
import { isBlank } from "./call.ts";
import type { Draft } from "./draft.ts";
import { readForEach } from "./for-each.ts";
import { type LoopContext, type LoopDraft, readOnError, readWhole, refuse } from "./loop-draft.ts";
import type { Names } from "./names.ts";
import { loopFields, nodeFields } from "./schema.ts";
import type { Sheet } from "./sheet.ts";
import { readStops } from "./stops.ts";
import { readShell, readText } from "./texts.ts";

/** Reads a loop that repeats until something says stop, or over a list. */
export function readLoop(
  sheet: Sheet,
  draft: Draft,
  context: LoopContext,
): LoopNode | ForEachNode | undefined {
  const at = [...draft.at, context.key];
  const raw = draft.raw[context.key];
  const fields = shape(raw, { fields: loopFields, at, faults: sheet.faults, advice });
  if (!isMapping(raw)) return undefined;
  const loop: LoopDraft = { draft, at, raw, fields };
  checkAccumulate(sheet, loop, context.names);
  return Object.hasOwn(raw, "for_each")
    ? readForEach(sheet, loop, context)
    : readRepeat(sheet, loop, context);
}

function advice(key: string): string | undefined {
  return Object.hasOwn(nodeFields, key) ? `\`${key}\` belongs on the node, beside \`loop:\`.` : undefined;
}

function readRepeat(sheet: Sheet, loop: LoopDraft, context: LoopContext): LoopNode | undefined {
  const { fields } = loop;
  refuse(sheet, loop, { keys: ["max_concurrency", "isolation"], because: "works with `for_each` only" });
  const read = readBody(sheet, loop, context);
  const { names } = read;
  const stops = readStops(sheet, loop, names);
  const max = readMax(sheet, loop);
  const gate = readGate(sheet, loop, names);
  const best = readBest(sheet, loop, names);
  if (read.body === undefined || max === undefined) return undefined;
  return {
    ...context.base,
    ...readWhole(sheet, loop),
    kind: "loop",
    body: read.body,
    stops: stops.specs,
    mode: fields.until_mode ?? "any",
    max,
    onMax: fields.on_max ?? "fail",
    onError: readOnError(sheet, loop),
    ...(fields.on_error === "forget" ? { forgetsFailures: true } : {}),
    session: fields.fresh_context ? "fresh" : "threaded",
    ...(gate === undefined ? {} : { gate }),
    delayMs: fields.delay ?? 0,
    output: fields.output ?? "last",
    ...(fields.accumulate === undefined ? {} : { accumulate: fields.accumulate }),
    baseline: stops.baseline,
    protect: fields.protect ?? [],
    ...(fields.no_progress === undefined ? {} : { noProgress: fields.no_progress }),
    ...(best === undefined ? {} : { best }),
  };
}

function readMax(sheet: Sheet, { at, raw }: LoopDraft): number | undefined {
  const max = raw["max_iterations"];
  if (max === undefined || max === null) {
    const hint = "Add max_iterations: 10, say.";
    note(sheet, "LOOP_MAX_MISSING", { message: "A loop needs `max_iterations`.", at, onKey: true, hint });
    return undefined;
  }
  if (typeof max === "number" && Number.isInteger(max) && max >= 1 && max <= 10_000) return max;
  const message = "`max_iterations` must be a whole number from 1 to 10000.";
  note(sheet, "LOOP_MAX_RANGE", { message, at: [...at, "max_iterations"], hint: unquoted(max) });
  return undefined;
}

function readGate(sheet: Sheet, { fields, at, raw }: LoopDraft, names: Names): LoopNode["gate"] {
  const message = fields.gate_message ?? undefined;
  const place = [...at, "gate_message"];
  if (fields.interactive !== true) {
    warnWithoutGate(sheet, { at, raw });
    return message === undefined ? undefined : void readText(sheet, { source: message, at: place, names });
  }
  warnIfNotInteractive(sheet, [...at, "interactive"]);
  if (message === undefined || isBlank(message)) {
    const isThere = Object.hasOwn(raw, "gate_message");
    const told = "An interactive loop needs a `gate_message`: what people read when it waits.";
    note(sheet, "GATE_MESSAGE_MISSING", {
      message: told,
      at: isThere ? place : [...at, "interactive"],
      onKey: !isThere,
    });
    return undefined;
  }
  const text = readText(sheet, { source: message, at: place, names });
  return { message: text, signalCompletes: fields.signal_completes ?? true };
}

/** What belongs to a gate has no effect where a loop has none. */
function warnWithoutGate(sheet: Sheet, { at, raw }: Pick<LoopDraft, "at" | "raw">): void {
  for (const key of ["gate_message", "signal_completes"].filter((it) => Object.hasOwn(raw, it))) {
    const message = `\`${key}\` has no effect: the loop never waits for a person.`;
    const hint = "Add `interactive: true` beside it.";
    note(sheet, "IGNORED_FIELD", { message, at: [...at, key], onKey: true, hint, warning: true });
  }
}

function readBest(sheet: Sheet, { fields, at, raw }: LoopDraft, names: Names): LoopNode["best"] {
  const { metric } = fields;
  const place = [...at, "metric"];
  if (fields.keep !== "best") {
    for (const key of ["metric", "direction"]) {
      if (!Object.hasOwn(raw, key)) continue;
      note(sheet, "BAD_VALUE", {
        message: `\`${key}\` goes with \`keep: best\`.`,
        at: [...at, key],
        onKey: true,
      });
    }
    return undefined;
  }
  if (metric === undefined || isBlank(metric)) {
    const message = "`keep: best` needs a `metric`: bash that prints a number.";
    note(sheet, "BAD_VALUE", { message, at: metric === undefined ? [...at, "keep"] : place });
    return undefined;
  }
  return {
    metric: readShell(sheet, { source: metric, at: place, names }),
    direction: fields.direction ?? "max",
  };
}

function checkAccumulate(sheet: Sheet, { fields, at }: LoopDraft, names: Names): void {
  const name = fields.accumulate;
  if (name === undefined) return;
  const place = [...at, "accumulate"];
  if (!/^[A-Za-z_]\w{0,99}$/.test(name)) {
    note(sheet, "BAD_VALUE", { message: `\`${name}\` cannot be the name of a variable.`, at: place });
  } else if (names.values.has(name) || ["INPUTS", "LOOP_PREV", "LOOP_ITEM"].includes(name)) {
    note(sheet, "BAD_VALUE", { message: `\`$${name}\` has a meaning already.`, at: place });
  }
}
