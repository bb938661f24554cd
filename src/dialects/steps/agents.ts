import type { NamedAgent } from "../../plan/plan.ts";
import { defined } from "../../ports/defined.ts";
import type { Json } from "../../ports/json.ts";
import { isMapping, type ParsedFields, parseFields, type SourcePath } from "../parse-fields.ts";
import { reportFault } from "../report-fault.ts";
import { didYouMean } from "../value-remedy.ts";
import type { ReaderContext } from "./reader-context.ts";
import { agentFields } from "./schema.ts";
import { readTextOrFile } from "./texts.ts";

type Source = Pick<ReaderContext, "faults" | "files">;

/** Reads `agents`: the agents, by name. */
export function readAgents(
  reader: Source,
  agents: Readonly<Record<string, unknown>>,
): ReadonlyMap<string, NamedAgent> {
  return new Map(Object.entries(agents).map(([name, value]) => [name, readAgent(reader, name, value)]));
}

function readAgent(reader: Source, name: string, value: unknown): NamedAgent {
  const at: SourcePath = ["agents", name];
  if (!/^[a-z][a-z0-9_-]{0,63}$/.test(name)) {
    const hint = "A name is a lowercase letter, then up to 63 lowercase letters, digits, _ and -.";
    reportFault(reader, "BAD_ID", {
      message: `\`${name}\` cannot be an agent's name.`,
      at,
      onKey: true,
      hint,
    });
  }
  const fields = parseFields(value, { fields: agentFields, at, faults: reader.faults });
  if (!isMapping(value)) return {};
  const { description = "", prompt, model, resultSchema } = fields;
  if (description.trim() === "" && (fields.description !== undefined || value["description"] === undefined)) {
    const isThere = Object.hasOwn(value, "description");
    const place = isThere ? { at: [...at, "description"] } : { at, onKey: true };
    reportFault(reader, "BAD_VALUE", { message: `The agent \`${name}\` needs a \`description\`.`, ...place });
  }
  const written = prompt === undefined ? undefined : readTextOrFile(reader, prompt, [...at, "prompt"]);
  // Without a prompt, the description becomes the agent's instructions.
  const instructions = written ?? description;
  return {
    instructions,
    ...defined({ model, schema: resultSchema }),
    ...toolsOf(fields),
    ...settingsOf(fields),
  };
}

type AgentFields = ParsedFields<typeof agentFields>;

function toolsOf({ tools: only, disallowedTools: not }: AgentFields): Pick<NamedAgent, "tools"> {
  if (only === undefined && not === undefined) return {};
  return { tools: defined({ only, not }) };
}

/** Zero turns mean the agent's own limit. */
function settingsOf({ maxTurns, temperature, topP }: AgentFields): Pick<NamedAgent, "settings"> {
  const settings = {
    ...(maxTurns ? { maxTurns } : {}),
    ...defined({ temperature, topP }),
  };
  return Object.keys(settings).length === 0 ? {} : { settings };
}

/** Whether the file has an agent of this name; reports an unknown one. */
export function isKnown(
  reader: ReaderContext,
  name: string,
  { at, code }: { readonly at: SourcePath; readonly code: "UNKNOWN_AGENT" | "JUDGE_UNKNOWN" },
): boolean {
  if (reader.agents.has(name)) return true;
  const known = [...reader.agents.keys()];
  const hint =
    didYouMean(name, known) ??
    (known.length > 0
      ? `Use one of ${known.join(", ")}.`
      : "The file has no agents: write it under `agents:`.");
  reportFault(reader, code, { message: `There is no agent \`${name}\`.`, at, hint });
  return false;
}

/** Checks that an agent can judge: its result must have a boolean `done`. */
export function checkJudge(reader: ReaderContext, name: string, at: SourcePath): void {
  if (!isKnown(reader, name, { at, code: "JUDGE_UNKNOWN" })) return;
  for (const problem of schemaProblems(reader.agents.get(name)?.schema)) {
    reportFault(reader, "JUDGE_SCHEMA", {
      message: `The agent \`${name}\` cannot judge: ${problem}.`,
      at,
      hint: "A judge's resultSchema has properties.done of type boolean, and done under required.",
    });
  }
}

function schemaProblems(schema: Json | undefined): readonly string[] {
  if (!isMapping(schema)) return ["it has no `resultSchema`"];
  return [...doneProblems(schema["properties"]), ...requiredProblems(schema["required"])];
}

function doneProblems(properties: unknown): readonly string[] {
  if (!isMapping(properties)) return ["its `resultSchema` has no `properties`"];
  const { done } = properties;
  if (!isMapping(done)) return ["its `resultSchema` has no property `done`"];
  return done["type"] === "boolean" ? [] : ["`done` in its `resultSchema` is not of type boolean"];
}

function requiredProblems(required: unknown): readonly string[] {
  if (!Array.isArray(required)) return ["its `resultSchema` has no list `required`"];
  return required.includes("done") ? [] : ["its `resultSchema` does not require `done`"];
}
