import type { AgentSettings, AgentTools } from "../../ports/agent.ts";
import { defined } from "../../ports/defined.ts";
import type { ParsedFields } from "../parse-fields.ts";
import type { extraFields, settingFields, toolFields } from "./schema.ts";

type SettingFields = ParsedFields<typeof settingFields>;
type ExtraFields = ParsedFields<typeof extraFields>;
type ToolFields = ParsedFields<typeof toolFields>;

/** Our setting names and their keys in a file; Codex's key for effort is an alias. */
const keys = {
  effort: "effort",
  maxTurns: "max_turns",
  temperature: "temperature",
  topP: "top_p",
  maxTokens: "max_tokens",
  thinking: "thinking",
  fallbackModel: "fallbackModel",
  betas: "betas",
  webSearch: "webSearchMode",
  maxBudgetUsd: "maxBudgetUsd",
  args: "agent_args",
} as const satisfies Record<Exclude<keyof AgentSettings, keyof typeof extraKeys>, keyof SettingFields>;

/** The same for settings that only a node may have. */
const extraKeys = { hooks: "hooks", subagents: "agents", mcp: "mcp", skills: "skills" } as const;

/** The settings of a mapping, merged over those of the enclosing scope; `undefined` if there are none. */
function readSettings(fields: SettingFields, inherited: AgentSettings = {}): AgentSettings | undefined {
  const effort = fields.modelReasoningEffort === undefined ? {} : { effort: fields.modelReasoningEffort };
  const own = Object.entries(keys).flatMap(([name, key]) =>
    fields[key] === undefined ? [] : [[name, fields[key]] as const],
  );
  const settings: AgentSettings = { ...inherited, ...effort, ...Object.fromEntries(own) };
  return Object.keys(settings).length === 0 ? undefined : settings;
}

/** A node's settings, with its extras, merged over those of the enclosing scope. */
export function nodeDefaults(
  fields: ToolFields & SettingFields & ExtraFields,
  inherited: AgentDefaults,
): AgentDefaults {
  const defaults = agentDefaults(fields, inherited);
  const extras = Object.entries(extraKeys).flatMap(([name, key]) =>
    fields[key] === undefined ? [] : [[name, fields[key]] as const],
  );
  if (extras.length === 0) return defaults;
  return { ...defaults, settings: { ...defaults.settings, ...Object.fromEntries(extras) } };
}

/** The tools that a mapping allows; by default those of the enclosing scope. */
function readTools(
  { allowed_tools: only, denied_tools: not, tools }: ToolFields,
  enclosing?: AgentTools,
): AgentTools | undefined {
  const named: AgentTools | undefined =
    only === undefined && not === undefined ? enclosing : defined({ only, not });
  return tools === undefined || named === undefined ? named : { ...named, advisory: true };
}

/** The tools and settings that a mapping applies to every agent call in it. */
export function agentDefaults(
  fields: ToolFields & SettingFields,
  inherited: AgentDefaults = {},
): AgentDefaults {
  const tools = readTools(fields, inherited.tools);
  const settings = readSettings(fields, inherited.settings);
  return defined({ tools, settings });
}

export interface AgentDefaults {
  readonly tools?: AgentTools;
  readonly settings?: AgentSettings;
}

/** The keys for the same at the top of a file. */
export function writeSettings(settings: AgentSettings = {}, tools: AgentTools = {}): Record<string, unknown> {
  const own = Object.entries(keys).map(
    ([name, key]) => [key, settings[name as keyof AgentSettings]] as const,
  );
  return {
    ...Object.fromEntries(own),
    allowed_tools: tools.only,
    denied_tools: tools.not,
    tools: tools.advisory ? "advisory" : undefined,
  };
}
