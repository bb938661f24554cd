import { type Lookup, parseBraces } from "../../expressions/brace-template.ts";
import type { Reference, Text } from "../../expressions/template.ts";
import type { SourcePath } from "../parse-fields.ts";
import { reportFault } from "../report-fault.ts";
import { didYouMean } from "../value-remedy.ts";
import type { ReaderContext } from "./reader-context.ts";

/** A text of the file and its context. */
export interface TemplateSource {
  readonly source: string;
  readonly at: SourcePath;
  /** The step or loop that contains it. */
  readonly element: string;
  /** The meaning of `loop.…` in a text that is rendered in each iteration of its own loop. */
  readonly loop?: Readonly<Record<string, Reference>>;
  /** Whether a name without a value becomes empty text instead of staying as written. */
  readonly isCondition?: boolean;
}

const value = (name: string): Reference => ({ ref: "value", name });

const previous = value("LOOP_PREV_OUTPUT");

/** What a loop's parameters can read of the loop: at that time its output is the previous iteration's. */
export const repeating: Readonly<Record<string, Reference>> = {
  "loop.iteration": value("LOOP_ITERATION"),
  "loop.output": previous,
  "loop.last.output": previous,
  "loop.history": value("LOOP_HISTORY"),
};

/** The fields of a loop that its condition may read. */
export const ended: Readonly<Record<string, Reference>> = {
  ...repeating,
  "loop.output": value("LOOP_OUTPUT"),
};

const item: Reference = { ref: "item" };
const total = value("LOOP_TOTAL");
const succeeded = value("LOOP_SUCCEEDED");
const failed = value("LOOP_FAILED");

/** The fields of a loop over items that its parameters may read. */
export const iterating: Readonly<Record<string, Reference>> = {
  "loop.iteration": value("LOOP_ITERATION"),
  "loop.index": value("LOOP_INDEX"),
  "loop.count": total,
  "loop.total": total,
  "loop.current": item,
  "loop.item": item,
  "loop.stats.succeeded": succeeded,
  "loop.succeeded": succeeded,
  "loop.stats.failed": failed,
  "loop.failed": failed,
};

const maxFaults = 20;

/** Parses a text: names in braces become references; unknown names stay as written, with a warning. */
export function readText(reader: ReaderContext, written: TemplateSource): Text {
  const reported = new Set<string>();
  warnOfBlocks(reader, written);
  const lookup: Lookup = (name, place) => {
    const known = meaning(reader, written, { name, written: absent(place.written) });
    if (known !== undefined) return known;
    if (!reported.has(name) && reported.size < maxFaults)
      strangeName(reader, written, { name, offset: place.offset });
    reported.add(name);
    return { ref: "input", name, otherwise: absent(place.written) };
  };
  const absent = (placeholder: string) => (written.isCondition ? "" : placeholder);
  return parseBraces(written.source, lookup);
}

function warnOfBlocks(reader: ReaderContext, { source, at }: TemplateSource): void {
  const offset = source.search(/\{%[^{}]*%\}/);
  if (offset < 0) return;
  const message = "`{% … %}` has no meaning here; it stays as written.";
  reportFault(reader, "IGNORED_FIELD", { message, at, offset, warning: true });
}

interface Name {
  readonly name: string;
  readonly written: string;
}

function meaning(
  reader: ReaderContext,
  text: TemplateSource,
  { name, written }: Name,
): Reference | string | undefined {
  const { names, env } = reader;
  if (name === "input") return value("USER_MESSAGE");
  if (name.startsWith("loop.")) return ofLoop(reader, text, name);
  if (name.startsWith("env.") && Object.hasOwn(env, name.slice(4))) return env[name.slice(4)];
  const node = name.replace(/^step\./, "");
  if (names.has(node) && node !== text.element) return { ref: "output", node, otherwise: written };
  const gathered = names.gatheredBy(name);
  return gathered === undefined ? undefined : value(gathered.name);
}

/** Inside a loop, its own; in a step, the one of the upstream loop that ended last. */
function ofLoop(
  { names }: ReaderContext,
  { loop, element }: TemplateSource,
  name: string,
): Reference | undefined {
  if (loop !== undefined) return Object.hasOwn(loop, name) ? loop[name] : undefined;
  const before = names.lastLoopBefore(element);
  if (before === undefined) return undefined;
  if (name === "loop.output" || name === "loop.last.output") return { ref: "output", node: before.id };
  const fields = before.iterates ? iterated : refined;
  return Object.hasOwn(fields, name) ? value(`${before.id}.${fields[name]}`) : undefined;
}

/** What a loop publishes for later steps, by the names that they use. */
const refined: Readonly<Record<string, string>> = {
  "loop.iteration": "iteration",
  "loop.iterations": "iteration",
  "loop.history": "history",
};

/** The same for a loop over items. */
const iterated: Readonly<Record<string, string>> = {
  ...refined,
  "loop.iterations": "items",
  "loop.count": "items",
  "loop.total": "items",
  "loop.succeeded": "succeeded",
  "loop.stats.succeeded": "succeeded",
  "loop.failed": "failed",
  "loop.stats.failed": "failed",
};

function strangeName(
  reader: ReaderContext,
  { at, element }: TemplateSource,
  { name, offset }: { name: string; offset: number },
): void {
  const isOwn = name.replace(/^step\./, "") === element;
  const near = reader.faults.length < 50 ? hintFor(reader, element, name) : undefined;
  const message = isOwn
    ? `\`{{${name}}}\` is this element's own result, which does not exist yet; it stays as written.`
    : `\`{{${name}}}\` is not a known name; it stays as written unless a caller sets it.`;
  reportFault(reader, "UNKNOWN_REFERENCE", {
    message,
    at,
    hint: near,
    warning: true,
    unlessGiven: name,
    offset,
  });
}

/** The fields of a loop that later steps can read. */
const readable = new Set(["loop.output", "loop.last.output", ...Object.keys(iterated)]);

function hintFor(reader: ReaderContext, element: string, name: string): string | undefined {
  const loop = readable.has(name) ? reader.names.loops().findLast((id) => id !== element) : undefined;
  if (loop !== undefined && reader.names.lastLoopBefore(element) === undefined)
    return `Add \`needs: [${loop}]\`: a step reads the loop that ended before it.`;
  return didYouMean(name, known(reader, element, name));
}

// Names of loops are known everywhere but valid in few places, so they are not suggested for themselves.
const known = ({ names }: ReaderContext, element: string, name: string): readonly string[] =>
  ["input", ...Object.keys(ended), ...names.all().filter((it) => it !== element)]
    .filter((it) => it !== name)
    .slice(0, 1000);
