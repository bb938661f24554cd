import {
  args,
  choice,
  hosts,
  keyOf,
  places,
  switchOf,
  text,
  trimmedText,
  version,
} from "../field-schemas.ts";
import { input } from "../input.ts";

/** Agents, their models and their walls. */
export const agents = {
  "agent-version": input(
    version,
    "The exact version of the agent, such as `1.2.3`. Default is the version on the runner; if there is none, the version that until-green was tested with is installed from a lockfile.",
  ),
  "agent-args": input(
    args,
    "Further arguments for the agent's program, separated by spaces; quote an argument that contains spaces.",
  ),
  "agent-command": input(
    text,
    "Short for `agent` with `command:CMD`. Bash runs it with the prompt on standard input; its output is the answer.",
  ),
  "claude-code-oauth-token": input(
    keyOf("CLAUDE_CODE_OAUTH_TOKEN"),
    "Passed to Claude Code as `CLAUDE_CODE_OAUTH_TOKEN`, for Claude subscriptions. Create it with `claude setup-token`.",
  ),
  "openai-api-key": input(
    keyOf("OPENAI_API_KEY"),
    "Passed to agents as `OPENAI_API_KEY`. Checks, scripts and other shell commands never see it.",
  ),
  "gemini-api-key": input(
    keyOf("GEMINI_API_KEY"),
    "Passed to agents as `GEMINI_API_KEY`. Checks, scripts and other shell commands never see it.",
  ),
  "use-bedrock": input(
    switchOf("CLAUDE_CODE_USE_BEDROCK"),
    "Whether Claude Code uses Amazon Bedrock, `true` or `false`, with the AWS credentials of an earlier step.",
    { fallback: "false" },
  ),
  "use-vertex": input(
    switchOf("CLAUDE_CODE_USE_VERTEX"),
    "Whether Claude Code uses Google Vertex AI, `true` or `false`, with the Google credentials of an earlier step.",
    { fallback: "false" },
  ),
  "use-foundry": input(
    switchOf("CLAUDE_CODE_USE_FOUNDRY"),
    "Whether Claude Code uses Microsoft Foundry, `true` or `false`, with the Azure credentials of an earlier step.",
    { fallback: "false" },
  ),
  prices: input(
    trimmedText,
    'Path of a JSON file with model prices in US dollars per million tokens, such as `{"our-model":{"input":1,"output":10,"cache_read":0.1,"cache_write":1.25}}`. They replace the built-in prices and those of the workflow file.',
  ),
  isolation: input(
    choice("auto", "required", "off"),
    "Isolation of agents, scripts and checks. `auto` uses what this runner supports, `required` refuses to run without full isolation, `off` disables it.",
    { fallback: "auto" },
  ),
  network: input(
    hosts,
    "The hosts that agents, scripts and checks may reach, separated by commas or spaces; names (`example.com`, `*.example.com:8443`) and presets (`npm`, `pypi`, `github`, …); `none` for none. The model can always be reached, through the key proxy. By default every host can be reached.",
  ),
  show: input(
    places,
    "Further files, folders and sockets that agents, scripts and checks may read behind the walls, one a line or separated by commas: absolute, below `~/`, or relative to the checkout. Keys, logins and the files of the runner cannot be opened.",
  ),
  write: input(
    places,
    "Further files and folders that they may write, such as a cache that later jobs install from. Anything there may then be an agent's.",
  ),
} as const;
