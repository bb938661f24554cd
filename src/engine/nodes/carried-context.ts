import type { Section } from "../../plan/plan.ts";
import type { Json } from "../../ports/json.ts";
import type { ExecutionContext } from "../execution-context.ts";
import { scopeAt } from "../scope.ts";

/** A value as part of a prompt; `undefined` if there is none. */
export function storedValueText(
  { title, value }: Extract<Section, { kind: "given" }>,
  context: ExecutionContext,
): string | undefined {
  const current = scopeAt(context).value(value);
  return current === null ? undefined : `## ${title}\n${asBlock(current)}`;
}

/** What loops carry under a name, as part of a prompt; entries of a list are numbered. */
export function carriedContextText(name: string, { shared }: ExecutionContext): string | undefined {
  const value = shared?.memory.get(name);
  if (value === undefined) return undefined;
  const parts = Array.isArray(value)
    ? value.map((entry, index) => `### ${index + 1}\n${asBlock(entry)}`)
    : [asBlock(value)];
  return [`## ${name}`, ...parts].join("\n");
}

const asBlock = (value: Json) => (typeof value === "string" ? value : JSON.stringify(value, undefined, 2));
