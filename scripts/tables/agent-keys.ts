import type * as schema from "../../src/dialects/native/schema.ts";
import type { Words } from "./key.ts";

/** Keys for the tools that an agent may use. */
export const tools: Words<typeof schema.toolFields> = {
  allowed_tools: {
    what: "The only tools the agent may use; `[]` for none. See [agents](agents.md).",
    values: "list of tools",
  },
  denied_tools: { what: "Tools the agent may not use.", values: "list of tools" },
  tools:
    "`advisory`: run the node even if its agent cannot enforce the restriction; otherwise it is refused.",
};

/** Keys with settings of an agent or its model. */
export const settings: Words<typeof schema.settingFields> = {
  effort: "How hard the model thinks: `low`, `medium`, `high` or another [level](agents.md#settings).",
  modelReasoningEffort: "Codex's name for `effort`.",
  max_turns: "Maximum turns of one call.",
  temperature: { what: "The model's temperature, if the agent supports it.", values: "number" },
  top_p: { what: "The model's `top_p`, if the agent supports it.", values: "number" },
  max_tokens: "Maximum tokens of one answer, if the agent supports a limit.",
  thinking: { what: "Claude's setting of the same name.", values: "any value" },
  fallbackModel: "The model to use while the first one is overloaded (claude).",
  betas: { what: "Claude's beta features.", values: "list of names" },
  webSearchMode: "Codex's setting: `disabled`, `cached` or `live`.",
  maxBudgetUsd: { what: "Maximum cost of one call in US dollars (claude).", values: "number" },
  agent_args: {
    what: "Further arguments for an agent program, one per list item.",
    values: "list of texts",
  },
};

/** Archon's settings of a node besides its prompt. */
export const extras: Words<typeof schema.extraFields> = {
  hooks: "Claude Code's hooks: for each event a list of `matcher` with `response` or `command` (claude).",
  agents: "Sub-agents by name, with `description` and `prompt` (claude).",
  mcp: "A JSON file of MCP servers in the checkout (claude, codex, copilot).",
  skills: "Skills in `.claude/skills/` of the checkout; their text is added to the system prompt.",
};
