import type { Text } from "../../expr/text.ts";
import type { AgentCall, Call } from "../../plan/plan.ts";
import { note } from "../note.ts";
import { type At, didYouMean, type Shaped } from "../shape.ts";
import type { Names } from "./names.ts";
import type { nodeFields } from "./schema.ts";
import type { CallDefaults, Sheet } from "./sheet.ts";
import { readText, type Written } from "./texts.ts";

const builtIn: readonly string[] = ["claude", "codex", "gemini", "copilot", "opencode", "api"];

/** Whether an agent of this name can be asked: one the file names, one that ships, or a program or script of the user's. */
export function isAgent(name: string, named: ReadonlyMap<string, unknown>): boolean {
  return named.has(name) || builtIn.includes(name) || /^(?:scripted|command):./.test(name);
}

/** "Did you mean …?" for an agent's name. */
export function nearAgent(name: string, named: ReadonlyMap<string, unknown>): string | undefined {
  const all = [...named.keys(), ...builtIn];
  return didYouMean(name, all) ?? `Known are ${all.join(", ")}, scripted:FILE and command:PROGRAM.`;
}

interface Named {
  readonly agent?: string | undefined;
  readonly provider?: string | undefined;
}

/** The agent a mapping names, by `agent` or by Archon's `provider`. */
export function readAgentName(sheet: Sheet, { agent, provider }: Named, at: At): string | undefined {
  if (agent !== undefined && provider !== undefined) {
    const message = "`provider` is another word for `agent`; one of them is enough.";
    note(sheet, "BAD_VALUE", { message, at: [...at, "provider"], onKey: true });
  }
  const name = agent ?? provider;
  if (name === undefined || isAgent(name, sheet.agents)) return name;
  const place = [...at, agent === undefined ? "provider" : "agent"];
  const hint = nearAgent(name, sheet.agents);
  note(sheet, "UNKNOWN_AGENT", { message: `There is no agent \`${name}\`.`, at: place, hint });
  return undefined;
}

/** How a node's agent calls are made: what the node says, else what the loops around it say. */
export function readDefaults(
  sheet: Sheet,
  { fields, at, around }: { fields: Shaped<typeof nodeFields>; at: At; around: CallDefaults },
): CallDefaults {
  const agent = readAgentName(sheet, fields, at) ?? around.agent;
  const model = fields.model ?? around.model;
  const timeoutMs = fields.timeout ?? around.timeoutMs;
  return {
    ...(agent === undefined ? {} : { agent }),
    ...(model === undefined ? {} : { model }),
    idleMs: fields.idle_timeout ?? around.idleMs,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}

/** A prompt given in place or by the name of a command file. */
export function readPrompt(sheet: Sheet, { key, value, at, names }: PromptSource): Text | undefined {
  const place = [...at, key];
  const written =
    key === "prompt" ? { source: value, at: place, names } : commandText(sheet, value, { at: place, names });
  if (written === undefined) return undefined;
  if (isBlank(written.source)) {
    note(sheet, "BAD_VALUE", {
      message: `The ${key} \`${key === "prompt" ? "" : value}\` is blank.`.replace(" ``", ""),
      at: place,
    });
    return undefined;
  }
  return readText(sheet, written);
}

export interface PromptSource {
  readonly key: "prompt" | "command";
  readonly value: string;
  /** Where the mapping stands that holds the key. */
  readonly at: At;
  readonly names: Names;
}

export const agentCall = (prompt: Text, defaults: CallDefaults, form: Form = {}): AgentCall => ({
  prompt,
  ...defaults,
  ...form,
});

type Form = Pick<AgentCall, "schema" | "result">;

/** The form a node's answers are to have, and whether they must. */
export function readForm(
  sheet: Sheet,
  { fields, at }: { readonly fields: Shaped<typeof nodeFields>; readonly at: At },
): Form {
  const { output_format: schema, output_required: isRequired = false } = fields;
  if (isRequired && schema === undefined) {
    const message = "`output_required` needs an `output_format`: the form that an answer must have.";
    note(sheet, "BAD_VALUE", { message, at: [...at, "output_required"], onKey: true });
  }
  return {
    ...(schema === undefined ? {} : { schema }),
    ...(isRequired ? { result: "required" } : {}),
  };
}

function commandText(
  sheet: Sheet,
  name: string,
  { at, names }: { at: At; names: Names },
): Written | undefined {
  if (!/^[\w-][\w.-]*$/.test(name) || name.includes("..")) {
    note(sheet, "BAD_VALUE", { message: `\`${name}\` cannot be the name of a command file.`, at });
    return undefined;
  }
  const source = sheet.files.command(name);
  if (source !== undefined) return { source, at, names, file: `the command file \`${name}\`` };
  const hint = "Command files are .github/loops/commands/NAME.md and .archon/commands/NAME.md.";
  note(sheet, "BAD_VALUE", { message: `There is no command file \`${name}\`.`, at, hint });
  return undefined;
}

/** A call of another workflow, noted for the compiler. */
export function readCall(
  sheet: Sheet,
  { workflow, given, message, at, names }: CallSource,
): Call | undefined {
  const place = [...at, "workflow"];
  if (isBlank(workflow) || workflow.split(/[/\\]/).includes("..")) {
    note(sheet, "BAD_VALUE", { message: `\`${workflow}\` cannot be the name of a workflow.`, at: place });
    return undefined;
  }
  sheet.calls.push({ workflow, at: place });
  const told =
    message === undefined
      ? {}
      : { message: readText(sheet, { source: message, at: [...at, "message"], names }) };
  const texts = Object.entries(given).map(
    ([key, source]) => [key, readText(sheet, { source, at: [...at, "with", key], names })] as const,
  );
  return { kind: "call", workflow, with: Object.fromEntries(texts), ...told };
}

export interface CallSource {
  readonly workflow: string;
  readonly given: Readonly<Record<string, string>>;
  /** What the workflow is told instead of the caller's own message. */
  readonly message?: string | undefined;
  readonly at: At;
  readonly names: Names;
}

export const isBlank = (text: string): boolean => text.trim() === "";
