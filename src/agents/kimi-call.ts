import { createHash } from "node:crypto";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Environment } from "../processes/environment.ts";
import { readPlainFile } from "../processes/plain-file.ts";
import type { CliInvocation, CliProcess } from "./cli/cli-definition.ts";
import { leasedModel } from "./cli/leased-model.ts";
import { mcpServerConfig } from "./cli/mcp-config.ts";
import { type OwnFolder, ownFolder } from "./cli/own-folder.ts";
import { promptArgument } from "./cli/prompt.ts";
import { inFolder, sessionFiles } from "./cli/session-files.ts";
import { createEventReader } from "./kimi-events.ts";
import { type OwnTools, toolsDenied } from "./tool-limits.ts";

/** The folder in which it keeps the conversations of a checkout. */
function keyOf(workspace: string): string {
  const edges = /^-+|-+$/g;
  const words = basename(workspace)
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, "-");
  const slug = words.replaceAll(edges, "").slice(0, 40).replaceAll(edges, "") || "workspace";
  return `wd_${slug}_${createHash("sha256").update(workspace).digest("hex").slice(0, 12)}`;
}

export const sessionsIn = (home: OwnFolder) =>
  sessionFiles({
    home,
    globs: (id) => [`sessions/wd_*/${id}/state.json`, `sessions/wd_*/${id}/agents/*/wire.jsonl`],
    belongs: (file, { workspace }) => file.replace(/wd_[^/]+/, keyOf(workspace)),
    // It can continue only conversations that started in the same folder.
    rebind(line, place) {
      if (line.startsWith('{"id":"session_')) return inFolder(line, place);
      if (!line.startsWith('{"type":"runtime.set_binding"')) return line;
      return line.replace(/"workspaceId":"[^"]*"/, `"workspaceId":"${keyOf(place.workspace)}"`);
    },
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

/** One call. It has no flag for servers and tools: they are in files of a folder that is made for the call. */
export function beginCall(turn: CliInvocation, own: OwnFolder): CliProcess {
  const { request, session, server, scratch, prompt, extra, environment } = turn;
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
  const shared = ownFolder(own, environment);
  mkdirSync(join(shared, "sessions"), { recursive: true, mode: 0o700 });
  for (const entry of ["sessions", ...own.settings])
    if (existsSync(join(shared, entry))) symlinkSync(join(shared, entry), join(home, entry));
  const said = promptArgument([request.instructions ?? "", prompt], scratch);
  const continued = session.goesOn ? ["--session", session.id] : [];
  // It prints the id of a new conversation only at the end, but records it at the start.
  const index = join(home, "session_index.jsonl");
  const begun = () => /"sessionId":"([A-Za-z0-9_-]+)"/.exec(readPlainFile(index) ?? "")?.[1];
  return {
    args: ["--output-format", "stream-json", ...continued, ...extra, `--prompt=${said}`],
    env: { KIMI_CODE_HOME: home, ...modelOf(turn), ...switches },
    ...createEventReader(turn, session.goesOn ? () => session.id : begun),
  };
}

const switches: Environment = {
  KIMI_DISABLE_TELEMETRY: "1",
  KIMI_DISABLE_CRON: "1",
  KIMI_CODE_NO_AUTO_UPDATE: "1",
  KIMI_CODE_BACKGROUND_PRINT_BACKGROUND_MODE: "exit",
  KIMI_LOOP_MAX_ATTEMPTS_PER_STEP: "4",
};

function modelOf(turn: CliInvocation): Environment {
  const model = leasedModel(turn);
  if (model === undefined) return {};
  const { effort, maxTurns } = turn.request.settings ?? {};
  return {
    KIMI_MODEL_NAME: model.id,
    KIMI_MODEL_PROVIDER_TYPE: model.provider,
    KIMI_MODEL_BASE_URL: model.baseUrl,
    KIMI_MODEL_API_KEY: model.key,
    KIMI_MODEL_MAX_CONTEXT_SIZE: String(model.window),
    KIMI_MODEL_CAPABILITIES: effort === undefined ? "image_in" : "image_in,thinking",
    ...(effort === undefined ? {} : { KIMI_MODEL_THINKING_EFFORT: effort }),
    ...(maxTurns === undefined ? {} : { KIMI_LOOP_MAX_STEPS_PER_TURN: String(maxTurns) }),
  };
}
