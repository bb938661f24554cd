import type { ForEachNode, Items } from "../../plan/plan.ts";
import { defined } from "../../ports/defined.ts";
import { jsonValues } from "../../ports/json.ts";
import type { SourcePath } from "../parse-fields.ts";
import { reportFault } from "../report-fault.ts";
import { readBody } from "./body.ts";
import { isBlank } from "./call.ts";
import type { Names } from "./names-in-scope.ts";
import { type LoopContext, type RawLoop, readOnError, readWhole, refuse, refuseWithout } from "./raw-loop.ts";
import type { ReaderContext } from "./reader-context.ts";
import { loopFields } from "./schema.ts";
import { readExpression, readText } from "./templates.ts";

/** Keys allowed in a loop over a list; the others define when to stop, but a list ends with its last item. */
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
  "spread",
  "batch",
  "max_parallel",
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
export function readForEach(
  reader: ReaderContext,
  loop: RawLoop,
  context: LoopContext,
): ForEachNode | undefined {
  const { fields, raw, at } = loop;
  const keys = Object.keys(loopFields).filter((key) => !allowed.includes(key));
  refuse(reader, loop, { keys, because: "cannot be combined with `for_each`: the list ends the loop" });
  refuseSequels(reader, loop);
  const items = readItems(reader, { value: raw["for_each"], at: [...at, "for_each"], names: context.names });
  const spread = readSpread(reader, loop, items);
  const { body } = readBody(reader, loop, context);
  const onError = readOnError(reader, loop);
  if (items === undefined || body === undefined) return undefined;
  return {
    ...context.base,
    ...readWhole(reader, loop),
    kind: "for-each",
    items,
    body,
    atMost: fields.max_concurrency ?? 1,
    isolation: fields.isolation ?? "shared",
    onError,
    delayMs: fields.delay ?? 0,
    output: fields.output === "cumulative" ? "cumulative" : "last",
    ...defined({ spread, accumulate: fields.accumulate }),
  };
}

/** How the list is divided among jobs: each job gets its part as the input that contains the list. */
function readSpread(reader: ReaderContext, loop: RawLoop, items: Items | undefined): ForEachNode["spread"] {
  const { spread, batch, max_parallel: maxParallel } = loop.fields;
  if (spread === undefined) {
    refuseWithout(reader, loop, { keys: ["batch", "max_parallel"], partner: "spread: jobs" });
    return undefined;
  }
  const [list] = items?.kind === "text" ? items.text : [];
  if (typeof list === "object" && list.ref === "input")
    return { input: list.name, ...defined({ batch, maxParallel }) };
  const message = "`spread: jobs` needs a list that can be divided among jobs: `for_each: $INPUTS.name`.";
  return reportFault(reader, "BAD_VALUE", { message, at: [...loop.at, "spread"] });
}

/** Refuses keys that require sequential iterations. */
function refuseSequels(reader: ReaderContext, { fields, at }: RawLoop): void {
  const sequels = [
    ["output", "transcript"],
    ["on_error", "forget"],
  ] as const;
  for (const [key, value] of sequels.filter(([key, value]) => fields[key] === value)) {
    const message = `\`${key}: ${value}\` cannot be combined with \`for_each\`: items do not depend on each other.`;
    reportFault(reader, "LOOP_MODE_CONFLICT", { message, at: [...at, key] });
  }
}

interface ItemsSource {
  readonly value: unknown;
  readonly at: SourcePath;
  readonly names: Names;
}

function readItems(reader: ReaderContext, { value, at, names }: ItemsSource): Items | undefined {
  if (Array.isArray(value)) {
    if (value.length > 0) return { kind: "list", list: jsonValues(value) };
    return reportFault(reader, "LOOP_EMPTY_LIST", { message: "The list of `for_each` is empty.", at });
  }
  if (typeof value !== "string" || isBlank(value)) {
    const message = "`for_each` must be a list, a reference such as $list.output, or an expression.";
    return reportFault(reader, "BAD_VALUE", {
      message,
      at,
      hint: "For example `for_each: [first, second]`.",
    });
  }
  if (/^\s*\[\s*\]\s*$/.test(value))
    return reportFault(reader, "LOOP_EMPTY_LIST", { message: "The list of `for_each` is empty.", at });
  if (isReference(value))
    return { kind: "text", text: readText(reader, { source: value.trim(), at, names }) };
  const expression = readExpression(reader, { source: value, at, names });
  return expression && { kind: "cel", ...expression };
}

/** A text that consists of one reference. */
const isReference = (text: string): boolean => /^\s*\$[A-Za-z_][\w-]*(?:\.[\w-]+)*\s*$/.test(text);
