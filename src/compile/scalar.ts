import {
  boolCoreTag,
  floatCoreTag,
  intCoreTag,
  NOT_RESOLVED,
  nullCoreTag,
  type ScalarTagDefinition,
} from "js-yaml";
import type { DiagnosticCode } from "../plan/diagnostic.ts";

export type ScalarRead =
  | { readonly ok: true; readonly value: string | number | boolean | null }
  | { readonly ok: false; readonly code: DiagnosticCode; readonly message: string };

const tags: Readonly<Record<string, ScalarTagDefinition>> = {
  "!!null": nullCoreTag,
  "!!bool": boolCoreTag,
  "!!int": intCoreTag,
  "!!float": floatCoreTag,
};

const plainTags = Object.values(tags);
const prefix = "tag:yaml.org,2002:";

/** What a scalar means in YAML 1.2's core schema: text, a number, true or false, or nothing. */
export function scalarValue(text: string, { tag, plain }: { tag: string; plain: boolean }): ScalarRead {
  const name = shortTag(tag);
  if (name === "!!str" || name === "!") return { ok: true, value: text };
  if (name === "") return plain ? implicit(text) : { ok: true, value: text };
  const definition = Object.hasOwn(tags, name) ? tags[name] : undefined;
  if (definition === undefined) return refuse("BAD_YAML", `The tag ${tag} is not allowed.`);
  const value: unknown = definition.resolve(text, true, definition.tagName);
  if (value === NOT_RESOLVED) return refuse("BAD_YAML", `"${text.slice(0, 40)}" is not a ${tag}.`);
  return finite(value as string);
}

/** Why a list or mapping may not bear its tag. */
export function tagProblem(tag: string, own: "!!seq" | "!!map"): string | undefined {
  const name = shortTag(tag);
  return name === "" || name === "!" || name === own ? undefined : `The tag ${tag} is not allowed.`;
}

/** Whether an untagged plain scalar is text for certain: whatever is none starts with one of a few characters. */
export const isSurelyText = (text: string): boolean => !/^(?:$|[-+.0-9~nNtTfF])/.test(text);

function implicit(text: string): ScalarRead {
  for (const tag of plainTags) {
    const value: unknown = tag.resolve(text, false, tag.tagName);
    if (value !== NOT_RESOLVED) return finite(value as number | boolean | null);
  }
  return { ok: true, value: text };
}

function finite(value: string | number | boolean | null): ScalarRead {
  if (typeof value !== "number" || Number.isFinite(value)) return { ok: true, value };
  return refuse("BAD_VALUE", "A number must be finite.");
}

const refuse = (code: DiagnosticCode, message: string): ScalarRead => ({ ok: false, code, message });

function shortTag(tag: string): string {
  if (!tag.startsWith("!<")) return tag;
  const full = tag.slice(2, -1);
  return full.startsWith(prefix) ? `!!${full.slice(prefix.length)}` : full;
}
