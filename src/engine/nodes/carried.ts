import type { Section } from "../../plan/plan.ts";
import type { Json } from "../../ports/json.ts";
import type { Here } from "../here.ts";
import { scopeAt } from "../scope.ts";

/** A value as a part of a prompt; nothing where there is none. */
export function valueUnder(
  { title, value }: Extract<Section, { kind: "given" }>,
  here: Here,
): string | undefined {
  const found = scopeAt(here).value(value);
  return found === null ? undefined : `## ${title}\n${asBlock(found)}`;
}

/** What loops carry under a name, as a part of a prompt: the entries of a list are numbered. */
export function carriedAs(name: string, { shared }: Here): string | undefined {
  const value = shared?.memory.get(name);
  if (value === undefined) return undefined;
  const parts = Array.isArray(value)
    ? value.map((entry, index) => `### ${index + 1}\n${asBlock(entry)}`)
    : [asBlock(value)];
  return [`## ${name}`, ...parts].join("\n");
}

const asBlock = (value: Json) => (typeof value === "string" ? value : JSON.stringify(value, undefined, 2));
