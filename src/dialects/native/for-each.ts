import type { ForEachNode, Items } from "../../plan/plan.ts";
import { json } from "../../ports/json.ts";
import { note } from "../note.ts";
import type { At } from "../shape.ts";
import { readBody } from "./body.ts";
import { isBlank } from "./call.ts";
import { type LoopContext, type LoopDraft, readOnError, readWhole, refuse } from "./loop-draft.ts";
import type { Names } from "./names.ts";
import { loopFields } from "./schema.ts";
import type { Sheet } from "./sheet.ts";
import { readExpression, readText } from "./texts.ts";

/** Keys a loop over a list may have; the others decide when to stop, and a list ends by itself. */
const allowed: readonly string[] = [
  "prompt",
  "command",
  "nodes",
  "workflow",
  "with",
  "message",
  "for_each",
  "max_concurrency",
  "isolation",
  "delay",
  "time_limit",
  "restarts",
  "restart_delay",
  "output",
  "accumulate",
  "on_error",
  "retries",
  "retry_delay",
  "fresh_context",
];

/** Reads a loop that runs its body once for each item of a list. */
export function readForEach(sheet: Sheet, loop: LoopDraft, context: LoopContext): ForEachNode | undefined {
  const { fields, raw, at } = loop;
  const keys = Object.keys(loopFields).filter((key) => !allowed.includes(key));
  refuse(sheet, loop, { keys, because: "does not go with `for_each`: the list ends the loop" });
  refuseSequels(sheet, loop);
  const items = readItems(sheet, { value: raw["for_each"], at: [...at, "for_each"], names: context.names });
  const { body } = readBody(sheet, loop, context);
  const onError = readOnError(sheet, loop);
  if (items === undefined || body === undefined) return undefined;
  return {
    ...context.base,
    ...readWhole(sheet, loop),
    kind: "for-each",
    items,
    body,
    atMost: fields.max_concurrency ?? 1,
    isolation: fields.isolation ?? "shared",
    onError,
    delayMs: fields.delay ?? 0,
    output: fields.output === "cumulative" ? "cumulative" : "last",
    ...(fields.accumulate === undefined ? {} : { accumulate: fields.accumulate }),
  };
}

/** Refuses what means something only where each iteration follows the one before. */
function refuseSequels(sheet: Sheet, { fields, at }: LoopDraft): void {
  const sequels = [
    ["output", "transcript"],
    ["on_error", "forget"],
  ] as const;
  for (const [key, word] of sequels.filter(([key, word]) => fields[key] === word)) {
    const message = `\`${key}: ${word}\` does not go with \`for_each\`: no item follows from the one before.`;
    note(sheet, "LOOP_MODE_CONFLICT", { message, at: [...at, key] });
  }
}

interface ItemsSource {
  readonly value: unknown;
  readonly at: At;
  readonly names: Names;
}

function readItems(sheet: Sheet, { value, at, names }: ItemsSource): Items | undefined {
  if (Array.isArray(value)) {
    if (value.length > 0) return { kind: "list", list: value.map((item) => json.parse(item)) };
    note(sheet, "LOOP_EMPTY_LIST", { message: "The list of `for_each` is empty.", at });
    return undefined;
  }
  if (typeof value !== "string" || isBlank(value)) {
    const message = "`for_each` must be a list, a reference such as $list.output, or an expression.";
    note(sheet, "BAD_VALUE", { message, at });
    return undefined;
  }
  if (/^\s*\[\s*\]\s*$/.test(value)) {
    note(sheet, "LOOP_EMPTY_LIST", { message: "The list of `for_each` is empty.", at });
    return undefined;
  }
  if (isReference(value)) return { kind: "text", text: readText(sheet, { source: value.trim(), at, names }) };
  const expression = readExpression(sheet, { source: value, at, names });
  return expression && { kind: "cel", ...expression };
}

/** A text that is one reference and nothing else. */
const isReference = (text: string): boolean => /^\s*\$[A-Za-z_][\w-]*(?:\.[\w-]+)*\s*$/.test(text);
