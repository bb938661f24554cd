import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../processes/environment.ts";
import type { CliDefinition, CliInvocation, KeySource } from "./cli/cli-definition.ts";
import { picked } from "./cli/pick-variables.ts";
import { sessionFiles } from "./cli/session-files.ts";
import { extensionEnvironment, extensionSource, providerOf } from "./pi-extension.ts";
import { type OwnTools, toolsAllowed } from "./tool-limits.ts";

/** pi, in its print mode. It has no MCP client: an extension of ours provides the loop's tools and its model. */
export const pi: CliDefinition = {
  name: "pi",
  program: {
    name: "pi",
    package: "@mariozechner/pi-coding-agent",
    from: "0.73.0",
    below: "1.0.0",
    tested: "0.73.1",
  },
  keys: [
    keyFrom("anthropic", { header: { name: "x-api-key" }, usual: "https://api.anthropic.com" }),
    keyFrom("openai", {
      header: { name: "authorization", prefix: "Bearer " },
      usual: "https://api.openai.com/v1",
    }),
  ],
  hasLogin: (environment) => hasCredentials(join(folderOf(environment), "auth.json")),
  home: {
    variable: "PI_CODING_AGENT_DIR",
    folder: (environment) => folderOf(environment),
    login: "auth.json",
    settings: ["settings.json", "models.json", "AGENTS.md", "SYSTEM.md", "APPEND_SYSTEM.md"],
  },
  stop: { signal: "SIGTERM", graceMs: 2000 },
  totals: { tokens: false, cost: false },
  structured: "submit_result",
  sessions: sessionFiles({
    root: ({ environment }) => folderOf(environment),
    globs: (id) => [`sessions/*/*_${id}.jsonl`],
    belongs: (file, { workspace }) => join(sessionsOf(workspace), file.slice(file.lastIndexOf("/") + 1)),
    // It asks whether to copy a conversation that started in another folder.
    rebind: (line, { workspace }) =>
      line.startsWith('{"type":"session"')
        ? JSON.stringify({ ...(JSON.parse(line) as object), cwd: workspace })
        : line,
  }),
  // Its settings there may name packages and extensions, which are run.
  obeys: [".pi"],
  async begin(turn) {
    const { readingOf } = await import("./pi-events.ts");
    return { args: argsOf(turn), env: envOf(turn), ...readingOf(turn) };
  },
};

interface Provider {
  readonly header: { readonly name: string; readonly prefix?: string };
  readonly usual: string;
}

function keyFrom(wire: "anthropic" | "openai", { header, usual }: Provider): KeySource {
  const name = wire.toUpperCase();
  return {
    variable: `${name}_API_KEY`,
    serves: (model) => model === undefined || !model.includes("/") || model.startsWith(`${wire}/`),
    lease: { wire, upstream: { variable: `${name}_BASE_URL`, usual }, header },
  };
}

const folderOf = (environment: Environment) =>
  environment["PI_CODING_AGENT_DIR"] || join(environment["HOME"] || homedir(), ".pi", "agent");

const sessionsOf = (workspace: string) => join("sessions", workspace.replace(/[^A-Za-z0-9]/g, "-"));

/** It writes an empty file at its first start. */
const hasCredentials = (file: string) => existsSync(file) && readFileSync(file, "utf8").includes('"type"');

const ownTools: OwnTools = {
  read: ["read"],
  list: ["ls"],
  search: ["grep", "find"],
  edit: ["edit"],
  write: ["write"],
  shell: ["bash"],
};

function argsOf(turn: CliInvocation): readonly string[] {
  const { request, session, server, scratch, extra, heeds, environment, context } = turn;
  const { instructions, settings = {} } = request;
  const allowed = toolsAllowed(request, ownTools);
  const model = providerOf(turn)?.models[0].id ?? request.model;
  return [
    ...["--print", "--mode", "json", "--offline"],
    ...["--no-extensions", "--no-skills", "--no-prompt-templates", "--no-themes"],
    ...["--extension", scratch.write("until-green.ts", extensionSource)],
    ...["--session-dir", join(folderOf(environment), sessionsOf(context.workspace))],
    ...(heeds ? [] : ["--no-context-files"]),
    ...(turn.endpoint === undefined ? [] : ["--provider", "until-green"]),
    ...(model === undefined ? [] : ["--model", model]),
    ...(settings.effort === undefined ? [] : ["--thinking", settings.effort]),
    ...(allowed === undefined ? [] : ["--tools", [...allowed, ...(server?.tools ?? [])].join(",")]),
    ...(instructions === undefined || instructions === ""
      ? []
      : ["--append-system-prompt", scratch.write("instructions.md", instructions)]),
    ...(session.goesOn ? ["--session", session.id] : []),
    ...extra,
  ];
}

const envOf = (turn: CliInvocation): Environment => ({
  ...picked(turn.environment, /^PI_CODING_AGENT_DIR$/),
  PI_SKIP_VERSION_CHECK: "1",
  PI_TELEMETRY: "0",
  ...extensionEnvironment(turn),
});
