import type { Json } from "../ports/json.ts";
import { quoting } from "./quoting.ts";
import type { Scope } from "./scope.ts";
import type { Reference, ShellText, Text } from "./template.ts";

/**
 * Fills in a text's references, once: values are never scanned again. In "json" mode (program sources) a value
 * becomes a literal, or the inside of the surrounding string.
 */
export function renderText(text: Text, scope: Scope, encode: "plain" | "json" = "plain"): string {
  if (encode === "json") return renderSource(text, scope);
  return text.map((part) => (typeof part === "string" ? part : scope.text(part))).join("");
}

function renderSource(text: Text, scope: Scope): string {
  const state = quoting();
  let source = "";
  for (const [position, part] of text.entries()) {
    if (typeof part === "string") {
      source += state.swallow(part);
      continue;
    }
    const next = text[position + 1];
    const isApart = typeof text[position - 1] === "string" && typeof next === "string";
    const alone = isApart ? state.takeAlone(next) : undefined;
    if (alone !== undefined) {
      source = source.slice(0, source.length - alone.length) + literal(scope.text(part));
    } else if (state.inString()) source += inside(scope.text(part));
    else source += literal(bare(part, scope));
  }
  return source;
}

// A reference without quotes around it. The value of a node or item may be an object or a number; a person's input is
// always text.
function bare(reference: Reference, scope: Scope): Json {
  const isData = reference.ref === "output" || reference.ref === "previous" || reference.ref === "item";
  return isData ? scope.value(reference) : scope.text(reference);
}

function literal(value: Json): string {
  if (typeof value === "string") return `"${inside(value)}"`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  const fields = Object.entries(value).map(([key, field]) => `${literal(key)}: ${literal(field)}`);
  return `{${fields.join(", ")}}`;
}

/**
 * Escapes a text for the inside of a string literal of JSON, JavaScript or Python. Everything with a meaning outside
 * a string is escaped, so a wrong guess of the position gives a syntax error, never code.
 */
function inside(text: string): string {
  return text.toWellFormed().replaceAll(/[^\w ,.:\u00a0-\u2027\u202a-\uffff]/g, escapeUnit);
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

interface BoundScript extends Pick<ShellText, "script" | "strict"> {
  readonly env: Readonly<Record<string, string>>;
}

/** A script with its variables: those that it references, and those that every program gets. */
export const boundScript = ({ variables, ...script }: ShellText, scope: Scope): BoundScript => ({
  ...script,
  env: {
    ...scope.environment(),
    ...Object.fromEntries(
      Object.entries(variables).map(([name, reference]) => [name, scope.text(reference)]),
    ),
  },
});
