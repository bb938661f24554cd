import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../processes/environment.ts";
import {
  type CliDefinition,
  type CliInvocation,
  type KeySource,
  usualProgram,
} from "./cli/cli-definition.ts";
import { argumentsFor, option } from "./cli/flags.ts";
import { laterSessions } from "./cli/later-sessions.ts";
import { ourServer } from "./cli/mcp-config.ts";
import { namedKeys, servesNamed } from "./cli/provider-keys.ts";
import { dataFolder, stateFolder, withoutInstall } from "./opencode-home.ts";
import { type OwnTools, toolsDenied } from "./tool-limits.ts";

/** Builds for older processors come first if this processor may be one. */
const builds = hasWideVectors() ? ["", "-musl"] : ["-baseline", "-baseline-musl", "", "-musl"];

/** opencode, run by its `run` command. */
export const opencode: CliDefinition = {
  ...usualProgram,
  name: "opencode",
  program: {
    name: "opencode",
    package: "opencode-ai",
    // The package's own command is created by an install script, which may not have run.
    native: builds.map((build) => `opencode-${process.platform}-${process.arch}${build}/bin/opencode`),
    from: "1.18.0",
    below: "2.0.0",
    tested: "1.18.33",
  },
  keys: [
    ...namedKeys("anthropic", "openai"),
    ...own("OPENROUTER_API_KEY", "openrouter"),
    ...own("OPENCODE_API_KEY", "opencode"),
  ],
  hasLogin: (environment) => existsSync(join(dataFolder(environment), "auth.json")),
  state: (environment) => [dataFolder(environment), stateFolder(environment)],
  sessions: laterSessions(async () => (await import("./opencode-sessions.ts")).opencodeSessions),
  lostSession: /session not found/i,
  // Its plugins and tools run even if project settings are disabled.
  configPaths: [".opencode", "opencode.json", "opencode.jsonc"],
  prepare: withoutInstall,
  async begin(turn) {
    const { eventReader } = await import("./opencode-events.ts");
    return {
      args: argsOf(turn),
      env: envOf(turn),
      preface: turn.request.instructions,
      ...eventReader(turn),
    };
  },
};

/** True if the processor has the instructions that the usual build requires. */
function hasWideVectors(): boolean {
  if (process.platform !== "linux" || process.arch !== "x64") return true;
  try {
    return /\bavx2\b/.test(readFileSync("/proc/cpuinfo", "utf8").slice(0, 8_192));
  } catch {
    return false;
  }
}

/** A provider's key that it uses directly, without our key proxy. */
function own(variable: string, provider: string): readonly KeySource[] {
  return [{ variable, serves: servesNamed(provider) }];
}

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
