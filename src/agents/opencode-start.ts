import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../processes/environment.ts";
import type { CliInvocation, CliProcess } from "./cli/cli-definition.ts";
import { argumentsFor, option } from "./cli/flags.ts";
import { ourServer } from "./cli/mcp-config.ts";
import { eventReader } from "./opencode-events.ts";
import { type OwnTools, toolsDenied } from "./tool-limits.ts";

/** One call of opencode. */
export const begin = (turn: CliInvocation): CliProcess => ({
  args: argsOf(turn),
  env: envOf(turn),
  preface: turn.request.instructions,
  ...eventReader(turn),
});

const providers: Readonly<Record<string, string>> = {
  ANTHROPIC_API_KEY: "anthropic",
  OPENAI_API_KEY: "openai",
};

const argsOf = (turn: CliInvocation): readonly string[] => [
  ...["run", "--format", "json"],
  // Without a title, it asks its model for one.
  ...["--title", `until-green: ${turn.request.node}`],
  ...option("--model", modelOf(turn)),
  ...argumentsFor(turn, { resume: "--session" }),
];

function modelOf({ request, endpoint }: CliInvocation): string | undefined {
  const provider = endpoint && providers[endpoint.variable];
  const { model } = request;
  if (model === undefined || model.includes("/") || provider === undefined) return model;
  return `${provider}/${model}`;
}

function envOf(turn: CliInvocation): Environment {
  return {
    OPENCODE_CONFIG_CONTENT: JSON.stringify(configOf(turn)),
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
    ...(turn.trusts ? {} : { OPENCODE_DISABLE_PROJECT_CONFIG: "1" }),
  };
}

/** The checkout's instructions, which it ignores if project settings are disabled. */
function instructionsIn(workspace: string): readonly string[] {
  const files = ["AGENTS.md", "CLAUDE.md"].map((name) => join(workspace, name));
  return files.filter((file) => existsSync(file)).slice(0, 1);
}

/** Passed inline, which overrides the user's own configuration and needs no file. */
function configOf(turn: CliInvocation) {
  const { endpoint, server, environment } = turn;
  const provider = endpoint && providers[endpoint.variable];
  const model = modelOf(turn);
  const id = model?.slice(model.indexOf("/") + 1);
  return {
    autoupdate: false,
    share: "disabled",
    permission: {
      "*": "allow",
      ...Object.fromEntries(toolsDenied(turn.request, ownTools).map((name) => [name, "deny"])),
    },
    ...(turn.followsInstructions && !turn.trusts
      ? { instructions: instructionsIn(turn.context.workspace) }
      : {}),
    ...(endpoint && provider
      ? {
          provider: {
            [provider]: {
              // A custom endpoint rarely supports more than chat completions.
              ...(provider === "openai" && environment["OPENAI_BASE_URL"]
                ? { npm: "@ai-sdk/openai-compatible" }
                : {}),
              options: {
                baseURL: provider === "openai" ? endpoint.baseUrl : `${endpoint.baseUrl}/v1`,
                apiKey: endpoint.key,
              },
              ...(id === undefined ? {} : { models: { [id]: {} } }),
            },
          },
        }
      : {}),
    mcp: ourServer(server, { type: "remote", oauth: false, enabled: true }),
  };
}

const ownTools: OwnTools = {
  read: ["read"],
  list: ["list"],
  search: ["grep", "glob"],
  edit: ["edit", "patch", "apply_patch", "multiedit"],
  write: ["write"],
  shell: ["bash"],
  web: ["webfetch", "websearch"],
  agent: ["task"],
};
