import type { ForEachNode, Items, OnError } from "../../plan/plan.ts";
import type { SourcePath } from "../parse-fields.ts";
import { reportFault, warnOfKeys } from "../report-fault.ts";
import { gatheringOf } from "./dependencies.ts";
import type { RawLoop, RawStep } from "./raw-step.ts";
import type { ReaderContext } from "./reader-context.ts";
import { type LoopSource, type NodeBase, readBody, readOnFailure, timeLimit } from "./repeat.ts";
import { iterating, readText } from "./templates.ts";

const defaultWorkers = 3;

/** Reads a loop that calls its workflow once for each item. */
export function readIterate(
  reader: ReaderContext,
  { rawStep, loop, max }: LoopSource,
  base: NodeBase,
): ForEachNode | undefined {
  const { fields, raw, at } = loop;
  const message = () => "`until` has no effect on a loop over items: the list ends it.";
  warnOfKeys(reader, { keys: ["until"], object: raw, at, message });
  const items = readItems(reader, rawStep, loop);
  const body = readBody(reader, { rawStep, loop, texts: iterating });
  if (max === undefined || items === undefined || body === undefined) return undefined;
  return {
    ...base,
    kind: "for-each",
    items,
    body: { ...body, object: Object.keys(fields.with ?? {}) },
    max,
    ...(fields.min_success_rate === undefined ? {} : { minRate: fields.min_success_rate }),
    ...(fields.parallel ? { finishes: true } : {}),
    atMost: fields.parallel ? (fields.max_workers ?? defaultWorkers) : 1,
    ...(fields.timeout_per_item === undefined ? {} : { eachMs: fields.timeout_per_item }),
    ...timeLimit(loop),
    isolation: "shared",
    onError: lenient(readOnFailure(loop)),
    delayMs: 0,
    output: "last",
    accumulate: gatheringOf(rawStep),
  };
}

/** An item that still fails after all its retries does not fail the loop. */
const lenient = (onError: OnError): OnError =>
  onError.mode === "retry" ? { ...onError, afterwards: "continue" } : onError;

function readItems(reader: ReaderContext, { id }: RawStep, { fields, raw, at }: RawLoop): Items | undefined {
  const source = fields.items;
  const place = [...at, "items"];
  if (!Object.hasOwn(raw, "items"))
    return reportFault(reader, "BAD_VALUE", {
      message: "`mode: iterate` needs `items`.",
      at: [...at, "mode"],
      onKey: true,
    });
  if (source === undefined) return undefined;
  if (typeof source !== "string") return { kind: "list", list: source };
  if (source.trim() === "")
    return reportFault(reader, "LOOP_EMPTY_LIST", { message: "`items` is blank.", at: place });
  const path = /^\s*file:\/\/(.*?)\s*$/s.exec(source)?.[1];
  if (path !== undefined) return itemsIn(reader, path, { at: place, element: id });
  return { kind: "text", text: readText(reader, { source, at: place, element: id }), values: true };
}

const mostBytes = 256 * 1024;

/**
 * The items in a file of the checkout. Its path may use names defined under `env`. If another step can write the
 * file, it is read when the loop starts, otherwise at compile time.
 */
function itemsIn(
  reader: ReaderContext,
  written: string,
  { at, element }: { readonly at: SourcePath; readonly element: string },
): Items | undefined {
  const path = written.replace(/\{\{\s*env\.([\w-]+)\s*\}\}/g, (name, key: string) =>
    Object.hasOwn(reader.env, key) ? (reader.env[key] ?? "") : name,
  );
  const isOutside = /^\/|(?:^|\/)\.\.(?:\/|$)/.test(path);
  if (!isOutside && reader.names.all().some((name) => name !== element && reader.names.has(name)))
    return { kind: "file", path: readText(reader, { source: path, at, element }) };
  const text = path.includes("{{") ? undefined : reader.files.text?.(path);
  if (text === undefined) {
    const message = path.includes("{{")
      ? "The path of a file with items can only contain names of `env` in braces: it is read before anything runs."
      : `The file \`${path}\` does not exist, or is outside the checkout.`;
    reportFault(reader, "BAD_VALUE", { message, at });
  } else if (new TextEncoder().encode(text).length > mostBytes) {
    const hint = "Let a step print the items, and use its output.";
    reportFault(reader, "LIMIT", { message: `\`${path}\` is larger than 256 KiB.`, at, hint });
  } else if (text.trim() === "") {
    reportFault(reader, "LOOP_EMPTY_LIST", { message: `\`${path}\` holds no items.`, at });
  } else return { kind: "text", text: [text], values: true };
  return undefined;
}
