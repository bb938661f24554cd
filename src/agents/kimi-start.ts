import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { readRegularFile } from "../processes/regular-file.ts";
import type { CliInvocation, CliProcess } from "./cli/cli-definition.ts";
import { createEventReader, failureIn } from "./cli/event-reader.ts";
import { argumentsFor } from "./cli/flags.ts";
import { leasedModel } from "./cli/leased-model.ts";
import { mcpFile, ourServer } from "./cli/mcp-config.ts";
import { chatMessage } from "./cli/message-forms.ts";
import { linkEntries } from "./cli/private-home.ts";
import { promptArgument } from "./cli/prompt.ts";
import { type OwnTools, toolsDenied } from "./tool-limits.ts";

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
export function begin(turn: CliInvocation, settings: readonly string[]): CliProcess {
  const { request, scratch } = turn;
  const denied = toolsDenied(request, ownTools);
  // Tools that its model is not shown could still be called.
  const rules = denied.map((name) => `[[permission.rules]]\ndecision = "deny"\npattern = "${name}"\n`);
  const config = `telemetry = false\n[tools]\ndisabled = ${JSON.stringify(denied)}\n${rules.join("")}`;
  const folder = dirname(scratch.write("config.toml", config));
  mcpFile(scratch, ourServer(turn.server));
  mkdirSync(join(turn.home, "sessions"), { recursive: true, mode: 0o700 });
  linkEntries(["sessions", ...settings], { from: turn.home, to: folder });
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
