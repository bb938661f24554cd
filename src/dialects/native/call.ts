import type { Text } from "../../expressions/template.ts";
import type { AgentCall, Call } from "../../plan/plan.ts";
import { defined } from "../../ports/defined.ts";
import type { SourcePath } from "../parse-fields.ts";
import { reportFault } from "../report-fault.ts";
import { isAgent, nearAgent } from "./agent-names.ts";
import { nodeDefaults } from "./agent-settings.ts";
import { readModel, withEffort } from "./model-names.ts";
import type { Names } from "./names-in-scope.ts";
import type { RawNode } from "./raw-node.ts";
import type { CallDefaults, ReaderContext } from "./reader-context.ts";
import { checkSettings } from "./setting-words.ts";
import { readText, type TemplateSource } from "./templates.ts";

interface AgentKeys {
  readonly agent?: string | undefined;
  readonly provider?: string | undefined;
}

/** The agent of a mapping, named by `agent` or by Archon's `provider`. */
export function readAgentName(
  reader: ReaderContext,
  { agent, provider }: AgentKeys,
  at: SourcePath,
): string | undefined {
  const { isArchons = false } = reader.files;
  if (agent !== undefined && provider !== undefined && (isArchons || provider === "opencode")) {
    // Archon has no such key, and opencode's agents are configured by opencode itself.
    const message = `\`agent\` beside \`provider: ${provider}\` has no effect here.`;
    reportFault(reader, "IGNORED_FIELD", { message, at: [...at, "agent"], onKey: true, warning: true });
    return readAgentName(reader, { provider }, at);
  }
  if (agent !== undefined && provider !== undefined) {
    const message = "`provider` is an alias of `agent`; one of them is enough.";
    reportFault(reader, "BAD_VALUE", { message, at: [...at, "provider"], onKey: true });
  }
  const name = agent ?? provider;
  if (name === undefined || isAgent(name, reader)) return name;
  const place = { at: [...at, agent === undefined ? "provider" : "agent"], hint: nearAgent(name, reader) };
  if (agent === undefined || isArchons) {
    const message = `\`${name}\` is not an agent until-green knows; the run's agent is used instead.`;
    reportFault(reader, "IGNORED_FIELD", { message, ...place, warning: true });
  } else reportFault(reader, "UNKNOWN_AGENT", { message: `There is no agent \`${name}\`.`, ...place });
  return undefined;
}

type NodeFields = Pick<RawNode, "fields" | "at">;

/** The settings of a node's agent calls: the node's own, else those of enclosing loops. */
export function readDefaults(
  reader: ReaderContext,
  { fields, at }: NodeFields,
  defaults: CallDefaults,
): CallDefaults {
  checkSettings(reader, fields, at);
  const named = readModel(reader, fields, at);
  const agent = named.agent ?? readAgentName(reader, fields, at) ?? defaults.agent;
  const model = named.model ?? defaults.model;
  // Archon limits only the time of programs.
  const timeoutMs = (reader.files.isArchons ? undefined : fields.timeout) ?? defaults.timeoutMs;
  return {
    idleMs: fields.idle_timeout ?? defaults.idleMs,
    ...defined({ agent, model, timeoutMs }),
    ...nodeDefaults(fields, withEffort(defaults, named)),
  };
}

/** A prompt given inline or by the name of a command file. */
export function readPrompt(reader: ReaderContext, { key, value, at, names }: PromptSource): Text | undefined {
  const place = [...at, key];
  const written =
    key === "prompt" ? { source: value, at: place, names } : commandText(reader, value, { at: place, names });
  if (written === undefined) return undefined;
  if (isBlank(written.source))
    return reportFault(reader, "BAD_VALUE", {
      message: `The ${key} \`${key === "prompt" ? "" : value}\` is blank.`.replace(" ``", ""),
      at: place,
      hint:
        key === "prompt" ? "Write what the agent shall do." : "Write in that file what the agent shall do.",
    });
  return readText(reader, written);
}

export interface PromptSource {
  readonly key: "prompt" | "command";
  readonly value: string;
  /** The position of the mapping with the key. */
  readonly at: SourcePath;
  readonly names: Names;
}

export const agentCall = (prompt: Text, defaults: CallDefaults, form: Form = {}): AgentCall => ({
  prompt,
  ...defaults,
  ...form,
});

type Form = Pick<AgentCall, "schema" | "result" | "asksAgain" | "instructions">;

/** Archon's engine asks up to three times. */
export const asksAgain = 2;

/** The format of a node's answers, and whether they must match it; `binds` says whether they must by default. */
export function readForm(reader: ReaderContext, { fields, at }: NodeFields, binds = false): Form {
  const { output_format: schema, output_required: isRequired = binds && schema !== undefined } = fields;
  if (isRequired && schema === undefined) {
    const message = "`output_required` needs an `output_format`: the form that an answer must have.";
    reportFault(reader, "BAD_VALUE", { message, at: [...at, "output_required"], onKey: true });
  }
  return {
    ...defined({ instructions: fields.systemPrompt, schema }),
    ...(isRequired ? { result: "required", ...(binds ? { asksAgain } : {}) } : {}),
  };
}

function commandText(
  reader: ReaderContext,
  name: string,
  { at, names }: { at: SourcePath; names: Names },
): TemplateSource | undefined {
  if (!/^[\w-][\w.-]*$/.test(name) || name.includes(".."))
    return reportFault(reader, "BAD_VALUE", {
      message: `\`${name}\` cannot be the name of a command file.`,
      at,
      hint: "Write the name of the file without its folder and `.md`.",
    });
  const source = reader.files.command(name);
  if (source !== undefined) return { source, at, names, file: `the command file \`${name}\`` };
  const hint = name.startsWith("archon-")
    ? `Archon ships this command: copy ${name}.md from .archon/commands/defaults of coleam00/Archon to .archon/commands/.`
    : "Command files are .github/loops/commands/NAME.md and .archon/commands/NAME.md, or one folder below.";
  return reportFault(reader, "BAD_VALUE", { message: `There is no command file \`${name}\`.`, at, hint });
}

/** A call of another workflow, registered for the compiler. */
export function readCall(
  reader: ReaderContext,
  { workflow, values, message, messageKey = "message", at, names }: CallSource,
): Call | undefined {
  const place = [...at, "workflow"];
  if (isBlank(workflow) || workflow.split(/[/\\]/).includes(".."))
    return reportFault(reader, "BAD_VALUE", {
      message: `\`${workflow}\` cannot be the name of a workflow.`,
      at: place,
      hint: "Write the `name` in its file, or its path without `..`.",
    });
  reader.calls.push({ workflow, at: place });
  const messageText =
    message === undefined
      ? {}
      : { message: readText(reader, { source: message, at: [...at, messageKey], names }) };
  const texts = Object.entries(values).map(
    ([key, source]) => [key, readText(reader, { source, at: [...at, "with", key], names })] as const,
  );
  return { kind: "call", workflow, with: Object.fromEntries(texts), ...messageText };
}

export interface CallSource {
  readonly workflow: string;
  readonly values: Readonly<Record<string, string>>;
  /** The message of the workflow, if not the caller's. */
  readonly message?: string | undefined;
  /** The key of that message. */
  readonly messageKey?: string;
  readonly at: SourcePath;
  readonly names: Names;
}

export const isBlank = (text: string): boolean => text.trim() === "";
