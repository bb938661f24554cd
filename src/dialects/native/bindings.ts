import type { Text } from "../../expressions/template.ts";
import { inputVariable } from "../../expressions/variables.ts";
import type { ScriptNode } from "../../plan/plan.ts";
import { isMapping } from "../parse-fields.ts";
import { reportFault } from "../report-fault.ts";
import type { Names } from "./names-in-scope.ts";
import type { RawNode } from "./raw-node.ts";
import type { ReaderContext } from "./reader-context.ts";
import { readText } from "./templates.ts";

/** Texts for the inputs that a node binds itself. */
export type Bindings = ReadonlyMap<string, Text>;

/**
 * Archon's `with` on a command, a `bash` node or a script: the value of `$INPUTS.NAME` in the command file, or of `INPUTS_NAME` in
 * the program. A mapping `{from: $id.output, if_skipped: …}` defines another value for a skipped node.
 */
export function readBindings(reader: ReaderContext, { raw, at }: RawNode, names: Names): Bindings {
  const bindings = isMapping(raw["with"]) ? raw["with"] : {};
  return new Map(
    Object.entries(bindings).map(([name, value]) => {
      const place = [...at, "with", name];
      if (isMapping(value)) return [name, readDirective(reader, { value, at: place, names })];
      return [name, readText(reader, { source: asText(value), at: place, names })];
    }),
  );
}

/** What a program gets as `INPUTS_NAME`. */
export function variablesIn(reader: ReaderContext, raw: RawNode, names: Names): Pick<ScriptNode, "env"> {
  const bindings = [...readBindings(reader, raw, names)];
  if (bindings.length === 0) return {};
  return { env: Object.fromEntries(bindings.map(([key, text]) => [inputVariable(key), text])) };
}

interface Directive {
  readonly value: Readonly<Record<string, unknown>>;
  readonly at: RawNode["at"];
  readonly names: Names;
}

function readDirective(reader: ReaderContext, { value, at, names }: Directive): Text {
  const { from, if_skipped: otherwise, ...others } = value;
  if (
    typeof from !== "string" ||
    !/^\s*\$[A-Za-z_][\w-]*\.output(?:\.\w+)?\s*$/.test(from) ||
    Object.keys(others).length > 0
  ) {
    const message =
      "A mapping in `with` has `from`, one `$id.output` or `$id.output.field`, and `if_skipped`.";
    reportFault(reader, "BAD_VALUE", {
      message,
      at,
      hint: "For example `{from: $plan.output, if_skipped: none}`.",
    });
    return [];
  }
  const text = readText(reader, { source: from.trim(), at: [...at, "from"], names });
  if (otherwise === undefined) return text;
  return text.map((part) =>
    typeof part !== "string" && part.ref === "output" ? { ...part, otherwise: asText(otherwise) } : part,
  );
}

const asText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** The text with inputs replaced by their bindings. */
export const withBindings = (text: Text, bindings: Bindings): Text =>
  text.flatMap((part) =>
    typeof part !== "string" && part.ref === "input" ? (bindings.get(part.name) ?? [part]) : [part],
  );
