import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { readRegularFile } from "../processes/regular-file.ts";
import { type CliDefinition, type CliInvocation, usualProgram } from "./cli/cli-definition.ts";
import { createEventReader, failureIn } from "./cli/event-reader.ts";
import { argumentsFor } from "./cli/flags.ts";
import { leasedModel } from "./cli/leased-model.ts";
import { mcpFile, ourServer } from "./cli/mcp-config.ts";
import { chatMessage } from "./cli/message-forms.ts";
import { linkEntries } from "./cli/private-home.ts";
import { promptArgument } from "./cli/prompt.ts";
import { namedKeys } from "./cli/provider-keys.ts";
import { inFolder, sessionFiles, slugOf } from "./cli/session-files.ts";
import { type OwnTools, toolsDenied } from "./tool-limits.ts";

/** Kimi Code in print mode. Its model is in variables, all other settings in a folder that we create for each call. */
export const kimi: CliDefinition = {
  ...usualProgram,
  name: "kimi",
  program: {
    name: "kimi",
    package: "@moonshot-ai/kimi-code",
    from: "2.1.0",
    below: "3.0.0",
    tested: "2.1.0",
  },
  keys: namedKeys("kimi", "anthropic", "openai"),
  home: { variable: "KIMI_CODE_HOME", usual: ".kimi-code", settings: ["AGENTS.md", "agents", "skills"] },
  sessions: sessionFiles({
    globs: (id) => [`sessions/wd_*/${id}/state.json`, `sessions/wd_*/${id}/agents/*/wire.jsonl`],
    belongs: (file, { workspace }) => file.replace(/wd_[^/]+/, projectOf(workspace)),
    // It can continue only conversations that started in the same folder.
    rebind(line, place) {
      const bound = line.startsWith('{"id":"session_') ? inFolder(line, place) : line;
      const workspace = /^({"type":"runtime\.set_binding".*?"workspaceId":)"[^"]*"/;
      return bound.replace(workspace, `$1"${projectOf(place.workspace)}"`);
    },
  }),
  // It finds no model in a conversation that it cannot read.
  lostSession: /Session "[^"]*" not found|model\.not_configured/,
  // Its settings there may start servers.
  configPaths: [".kimi-code"],
  instructionPaths: ["AGENTS.md", "agents.md"],
  begin,
};

/** The folder in which it keeps the conversations of a checkout. */
function projectOf(workspace: string): string {
  const slug = slugOf(basename(workspace), { others: /[^a-z0-9._-]+/g, most: 40 }) || "workspace";
  return `wd_${slug}_${createHash("sha256").update(workspace).digest("hex").slice(0, 12)}`;
}

const ownTools: OwnTools = {
  read: ["Read", "ReadMediaFile"],
  search: ["Grep", "Glob"],
  edit: ["Edit"],
  write: ["Write"],
  shell: ["Bash"],
  web: ["FetchURL", "WebSearch"],
  agent: ["Agent", "AgentSwarm"],
  outOfPlace: [
    ...["AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "CronCreate", "CronList", "CronDelete"],
    ...["CreateGoal", "GetGoal", "SetGoalBudget", "UpdateGoal", "WaitFor"],
  ],
};

/** One call. It has no flags for servers and tools: they are in files of a folder created for the call. */
function begin(turn: CliInvocation) {
  const { request, scratch } = turn;
  const denied = toolsDenied(request, ownTools);
  // Tools that its model is not shown could still be called.
  const rules = denied.map((name) => `[[permission.rules]]\ndecision = "deny"\npattern = "${name}"\n`);
  const config = `telemetry = false\n[tools]\ndisabled = ${JSON.stringify(denied)}\n${rules.join("")}`;
  const folder = dirname(scratch.write("config.toml", config));
  mcpFile(scratch, ourServer(turn.server));
  mkdirSync(join(turn.home, "sessions"), { recursive: true, mode: 0o700 });
  linkEntries(["sessions", ...(kimi.home?.settings ?? [])], { from: turn.home, to: folder });
  return {
    args: [
      ...["--output-format", "stream-json"],
      ...argumentsFor(turn, { resume: "--session" }),
      `--prompt=${promptArgument([request.instructions ?? "", turn.prompt], scratch)}`,
    ],
    env: { KIMI_CODE_HOME: folder, ...variablesOf(turn) },
    ...createEventReader(
      turn,
      {
        assistant(event, call) {
          // It prints the id of a new conversation only at the end, but records it at the start.
          const index = readRegularFile(join(folder, "session_index.jsonl")) ?? "";
          const session = /"sessionId":"([A-Za-z0-9_-]+)"/.exec(index)?.[1];
          call.began(turn.session.isContinued ? turn.session.id : session);
          call.message(chatMessage(event));
        },
        "session.resume_hint": (_, call) => call.ends(),
      },
      (end, { ended }) => (ended ? {} : failureIn(end, /^error: (.*)$/m)),
    ),
  };
}

function variablesOf(turn: CliInvocation) {
  const model = leasedModel(turn);
  const { effort, maxTurns } = turn.request.settings ?? {};
  return {
    ...(model && {
      KIMI_MODEL_NAME: model.id,
      KIMI_MODEL_PROVIDER_TYPE: model.provider,
      KIMI_MODEL_BASE_URL: model.baseUrl,
      KIMI_MODEL_API_KEY: model.key,
      KIMI_MODEL_MAX_CONTEXT_SIZE: String(model.window),
      KIMI_MODEL_CAPABILITIES: effort === undefined ? "image_in" : "image_in,thinking",
    }),
    KIMI_MODEL_THINKING_EFFORT: effort,
    KIMI_LOOP_MAX_STEPS_PER_TURN: maxTurns?.toString(),
    KIMI_LOOP_MAX_ATTEMPTS_PER_STEP: "4",
    KIMI_CODE_BACKGROUND_PRINT_BACKGROUND_MODE: "exit",
    KIMI_CODE_NO_AUTO_UPDATE: "1",
  };
}
