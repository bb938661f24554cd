import { createHash } from "node:crypto";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { AgentError } from "../ports/agent.ts";
import type { Environment } from "../processes/environment.ts";
import { readPlainFile } from "../processes/plain-file.ts";
import type { CliInvocation, Endpoint } from "./cli/cli-definition.ts";
import { mcpServerConfig } from "./cli/mcp-config.ts";
import { sessionFiles } from "./cli/session-files.ts";
import { defaultModel, sizesOf } from "./models.ts";
import { type OwnTools, toolsDenied } from "./tool-limits.ts";

/** The folder in which it keeps the conversations of a checkout. */
const keyOf = (workspace: string): string => {
  const slug = basename(workspace)
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 40)
    .replaceAll(/^-+|-+$/g, "");
  const hash = createHash("sha256").update(workspace).digest("hex").slice(0, 12);
  return `wd_${slug === "" ? "workspace" : slug}_${hash}`;
};

const folderOf = (environment: Environment) => environment["KIMI_CODE_HOME"] ?? "";

export const kimiSessions = sessionFiles({
  root: ({ environment }) => folderOf(environment),
  globs: (id) => [`sessions/wd_*/${id}/state.json`, `sessions/wd_*/${id}/agents/*/wire.jsonl`],
  belongs: (file, { workspace }) => file.replace(/wd_[^/]+/, keyOf(workspace)),
  // It can continue only conversations that started in the same folder.
  rebind: (line, { workspace }) =>
    line.startsWith('{"type":"runtime.set_binding"')
      ? line.replace(/"workspaceId":"[^"]*"/, `"workspaceId":"${keyOf(workspace)}"`)
      : line.startsWith('{"id":"session_')
        ? line.replace(/"cwd":"(?:[^"\\]|\\.)*"/, `"cwd":${JSON.stringify(workspace)}`)
        : line,
});

const ownTools: OwnTools = {
  read: ["Read", "ReadMediaFile"],
  search: ["Grep", "Glob"],
  edit: ["Edit"],
  write: ["Write"],
  shell: ["Bash"],
  web: ["FetchURL", "WebSearch"],
  agent: ["Agent", "AgentSwarm"],
};

/** What asks people, waits for another day, or sets goals of its own: nothing of that ends well in a loop. */
const outOfPlace: readonly string[] = [
  ...["AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "CronCreate", "CronList", "CronDelete"],
  ...["CreateGoal", "GetGoal", "SetGoalBudget", "UpdateGoal", "WaitFor"],
];

/** One call's folder, arguments and variables. It has no flag for servers and tools: they are in files of its folder. */
export function beginCall(turn: CliInvocation, shared: string) {
  const { request, session, server, scratch, prompt, extra } = turn;
  const denied = [...outOfPlace, ...toolsDenied(request, ownTools)];
  const config = [
    "telemetry = false",
    `[tools]\ndisabled = ${JSON.stringify(denied)}`,
    // What is not shown to its model could still be called.
    ...denied.map((name) => `[[permission.rules]]\ndecision = "deny"\npattern = "${name}"`),
  ];
  const home = dirname(scratch.write("config.toml", `${config.join("\n")}\n`));
  const servers = server === undefined ? {} : { "until-green": mcpServerConfig(server) };
  scratch.write("mcp.json", JSON.stringify({ mcpServers: servers }));
  mkdirSync(join(shared, "sessions"), { recursive: true, mode: 0o700 });
  for (const entry of ["sessions", "AGENTS.md", "agents", "skills"])
    if (existsSync(join(shared, entry))) symlinkSync(join(shared, entry), join(home, entry));
  const task = [request.instructions ?? "", prompt].filter((part) => part !== "").join("\n\n");
  const isLong = Buffer.byteLength(task) > mostBytes;
  const said = isLong
    ? `Your task is too long for a message. It is in the file ${scratch.write("whole-task.md", task)}: read all of it first, in parts, then do what it says.`
    : task;
  const continued = session.goesOn ? ["--session", session.id] : [];
  return {
    args: ["--output-format", "stream-json", ...continued, ...extra, `--prompt=${said}`],
    env: { KIMI_CODE_HOME: home, ...modelOf(turn), ...switches },
    session: () => (session.goesOn ? session.id : sessionIn(home)),
  };
}

/** Linux takes no argument of 128 KiB. */
const mostBytes = 120 * 1024;

/** It prints the id of a new conversation only at the end, but records it at the start. */
function sessionIn(home: string): string | undefined {
  const file = join(home, "session_index.jsonl");
  return /"sessionId":"([A-Za-z0-9_-]+)"/.exec(readPlainFile(file) ?? "")?.[1];
}

const switches: Environment = {
  KIMI_DISABLE_TELEMETRY: "1",
  KIMI_DISABLE_CRON: "1",
  KIMI_CODE_NO_AUTO_UPDATE: "1",
  KIMI_CODE_BACKGROUND_PRINT_BACKGROUND_MODE: "exit",
  KIMI_LOOP_MAX_ATTEMPTS_PER_STEP: "4",
};

function modelOf({ request, endpoint }: CliInvocation): Environment {
  if (endpoint === undefined) return {};
  const { model, settings = {} } = request;
  const provider = providerOf(endpoint);
  const name = model?.replace(/^(anthropic|kimi|openai)\//, "") ?? defaultOf(provider);
  const { effort, maxTurns } = settings;
  return {
    KIMI_MODEL_NAME: name,
    KIMI_MODEL_PROVIDER_TYPE: provider,
    KIMI_MODEL_BASE_URL: endpoint.baseUrl,
    KIMI_MODEL_API_KEY: endpoint.key,
    KIMI_MODEL_MAX_CONTEXT_SIZE: String(sizesOf(name).window),
    KIMI_MODEL_CAPABILITIES: effort === undefined ? "image_in" : "image_in,thinking",
    ...(effort === undefined ? {} : { KIMI_MODEL_THINKING_EFFORT: effort }),
    ...(maxTurns === undefined ? {} : { KIMI_LOOP_MAX_STEPS_PER_TURN: String(maxTurns) }),
  };
}

const providerOf = ({ variable }: Endpoint) => variable.replace("_API_KEY", "").toLowerCase();

function defaultOf(provider: string): string {
  const model = defaultModel(provider);
  if (model !== undefined) return model;
  throw new AgentError(
    "missing",
    "kimi needs a model with the key KIMI_API_KEY: set `model` to one that Moonshot offers",
  );
}
