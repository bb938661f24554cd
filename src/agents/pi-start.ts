import type { Environment } from "../processes/environment.ts";
import type { CliInvocation } from "./cli/cli-definition.ts";
import { picked } from "./cli/pick-variables.ts";
import { extensionEnvironment, extensionSource, providerOf } from "./pi-extension.ts";
import { type OwnTools, toolsAllowed } from "./tool-limits.ts";

const ownTools: OwnTools = {
  read: ["read"],
  list: ["ls"],
  search: ["grep", "find"],
  edit: ["edit"],
  write: ["write"],
  shell: ["bash"],
};

/** The arguments of one call of pi, whose conversations are in a folder. */
export function argsOf(turn: CliInvocation, sessions: string): readonly string[] {
  const { request, session, server, scratch, extra, heeds } = turn;
  const { instructions, settings = {} } = request;
  const allowed = toolsAllowed(request, ownTools);
  const model = providerOf(turn)?.models[0].id ?? request.model;
  return [
    ...["--print", "--mode", "json", "--offline"],
    ...["--no-extensions", "--no-skills", "--no-prompt-templates", "--no-themes"],
    ...["--extension", scratch.write("until-green.ts", extensionSource)],
    ...["--session-dir", sessions],
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

/** The variables of one call of pi. */
export const envOf = (turn: CliInvocation): Environment => ({
  ...picked(turn.environment, /^PI_CODING_AGENT_DIR$/),
  PI_SKIP_VERSION_CHECK: "1",
  PI_TELEMETRY: "0",
  ...extensionEnvironment(turn),
});
