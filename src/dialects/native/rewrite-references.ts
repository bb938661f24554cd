import { stopKeys } from "../../stops/index.ts";
import { forms } from "../../stops/stop-key.ts";
import { isMapping } from "../parse-fields.ts";

type Mapping = Readonly<Record<string, unknown>>;

/** How to change the texts of a node that moves into another graph. */
export interface Rewrite {
  text(source: string): string;
  condition(source: string): string;
  /** Called for each rewritten mapping, inner ones first. */
  moved?(before: Mapping, now: Mapping): void;
}

interface Changes {
  /** New node ids, by old id. */
  readonly outputs: ReadonlyMap<string, string>;
  /** Returns the replacement of `$INPUTS.NAME`. */
  readonly inputs?: ReadonlyMap<string, string>;
}

const referencePattern = /\$(LOOP_PREV\.)?([A-Za-z_][\w-]*)(?=\.output(?!\w))/g;
const shortPattern = /\$(LOOP_PREV\.)?([A-Za-z_][\w-]*)(?=\.)/g;
const inputPattern = /\$INPUTS\.([A-Za-z_]\w*(?:-[A-Za-z_]\w*)*)/g;

/** Renames references to nodes, then replaces inputs by values. */
export function rewriter({ outputs, inputs = new Map() }: Changes): Rewrite {
  const renamed = (source: string, pattern: RegExp) =>
    source.replace(pattern, (whole, previous: string | undefined, id: string) => {
      const now = outputs.get(id);
      return now === undefined ? whole : `$${previous ?? ""}${now}`;
    });
  const filled = (source: string) =>
    source.replace(inputPattern, (whole, name: string) => inputs.get(name) ?? whole);
  return {
    text: (source) => filled(renamed(source, referencePattern)),
    condition: (source) =>
      renamed(source, shortPattern).replace(operandPattern, (whole, name: string | undefined) =>
        name === undefined ? filled(whole) : operand(inputs.get(name) ?? whole),
      ),
  };
}

/** A quoted text, or an input outside of quotes. */
const operandPattern = new RegExp(`'[^']*'|"[^"]*"|${inputPattern.source}`, "g");

/** A value in the form that conditions compare: quoted, unless it is a reference, a number or a boolean. */
function operand(value: string): string {
  if (/^(?:\$.*|[-+]?\d+(?:\.\d+)?|true|false)$/s.test(value)) return value;
  if (!value.includes("'")) return `'${value}'`;
  return value.includes('"') ? value : `"${value}"`;
}

/** Keys whose texts contain no references. */
const plainKeys: ReadonlySet<string> = new Set([
  "id",
  "command",
  "include",
  "workflow",
  "description",
  "output_format",
]);

const conditionKeys: ReadonlySet<string> = new Set([
  "when",
  ...stopKeys.filter(({ holds }) => holds === forms.expression).map(({ name }) => name),
]);

/** A node with all its texts rewritten, including those of inner nodes. */
export function rewriteNode(node: Mapping, rewrite: Rewrite): Mapping {
  const now = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [
      key,
      plainKeys.has(key) ? value : rewritten(value, key, rewrite),
    ]),
  );
  rewrite.moved?.(node, now);
  return now;
}

function rewritten(value: unknown, key: string, rewrite: Rewrite): unknown {
  if (typeof value === "string")
    return conditionKeys.has(key) ? rewrite.condition(value) : rewrite.text(value);
  if (Array.isArray(value)) return value.map((one) => rewritten(one, key, rewrite));
  return isMapping(value) ? rewriteNode(value, rewrite) : value;
}
