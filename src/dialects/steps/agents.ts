import type { NamedAgent } from "../../plan/plan.ts";
import type { Json } from "../../ports/json.ts";
import type { Files } from "../dialect.ts";
import { note } from "../note.ts";
import { type At, didYouMean, isMapping, shape } from "../shape.ts";
import { agentFields, withoutEffect } from "./schema.ts";
import { type Sheet, warnOfUseless } from "./sheet.ts";
import { readTextOrFile } from "./text-file.ts";

interface Source {
  readonly faults: Sheet["faults"];
  readonly files: Files;
}

/** Reads `agents`: who does the work, by name. */
export function readAgents(
  sheet: Source,
  agents: Readonly<Record<string, unknown>>,
): ReadonlyMap<string, NamedAgent> {
  return new Map(Object.entries(agents).map(([name, value]) => [name, readAgent(sheet, name, value)]));
}

function readAgent(sheet: Source, name: string, value: unknown): NamedAgent {
  const at: At = ["agents", name];
  if (!/^[a-z][a-z0-9_-]{0,63}$/.test(name)) {
    const hint = "A name is a small letter, then up to 63 small letters, digits, _ and -.";
    note(sheet, "BAD_ID", { message: `\`${name}\` cannot be an agent's name.`, at, onKey: true, hint });
  }
  const fields = shape(value, { fields: agentFields, at, faults: sheet.faults });
  if (!isMapping(value)) return {};
  warnOfUseless(sheet, { keys: withoutEffect.agent, given: value, at });
  const { description = "", prompt, model, resultSchema } = fields;
  if (description.trim() === "" && (fields.description !== undefined || value["description"] === undefined)) {
    const isThere = Object.hasOwn(value, "description");
    const place = isThere ? { at: [...at, "description"] } : { at, onKey: true };
    note(sheet, "BAD_VALUE", { message: `The agent \`${name}\` needs a \`description\`.`, ...place });
  }
  const written = prompt === undefined ? undefined : readTextOrFile(sheet, prompt, [...at, "prompt"]);
  // Without a prompt of its own the description is all that tells an agent what it is for.
  const instructions = written ?? description;
  return {
    instructions,
    ...(model === undefined ? {} : { model }),
    ...(resultSchema === undefined ? {} : { schema: resultSchema }),
  };
}

/** Whether the file has an agent of this name; a fault where it has not. */
export function isKnown(
  sheet: Sheet,
  name: string,
  { at, code }: { readonly at: At; readonly code: "UNKNOWN_AGENT" | "JUDGE_UNKNOWN" },
): boolean {
  if (sheet.agents.has(name)) return true;
  const known = [...sheet.agents.keys()];
  const hint =
    didYouMean(name, known) ??
    (known.length > 0 ? `Known are ${known.join(", ")}.` : "The file has no agents.");
  note(sheet, code, { message: `There is no agent \`${name}\`.`, at, hint });
  return false;
}

/** Checks that an agent can judge: its result must have a boolean `done`. */
export function checkJudge(sheet: Sheet, name: string, at: At): void {
  if (!isKnown(sheet, name, { at, code: "JUDGE_UNKNOWN" })) return;
  for (const lack of lacks(sheet.agents.get(name)?.schema)) {
    note(sheet, "JUDGE_SCHEMA", {
      message: `The agent \`${name}\` cannot judge: ${lack}.`,
      at,
      hint: "A judge's resultSchema has properties.done of type boolean, and done under required.",
    });
  }
}

function lacks(schema: Json | undefined): readonly string[] {
  if (!isMapping(schema)) return ["it has no `resultSchema`"];
  return [...lacksOfDone(schema["properties"]), ...lacksOfRequired(schema["required"])];
}

function lacksOfDone(properties: unknown): readonly string[] {
  if (!isMapping(properties)) return ["its `resultSchema` has no `properties`"];
  const { done } = properties;
  if (!isMapping(done)) return ["its `resultSchema` has no property `done`"];
  return done["type"] === "boolean" ? [] : ["`done` in its `resultSchema` is not of type boolean"];
}

function lacksOfRequired(required: unknown): readonly string[] {
  if (!Array.isArray(required)) return ["its `resultSchema` has no list `required`"];
  return required.includes("done") ? [] : ["its `resultSchema` does not require `done`"];
}
