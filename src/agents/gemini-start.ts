import type { Environment } from "../processes/environment.ts";
import type { CliInvocation, CliProcess } from "./cli/cli-definition.ts";
import { picked } from "./cli/config-folder.ts";
import { argumentsFor } from "./cli/flags.ts";
import { eventReader } from "./gemini-events.ts";
import { makeHome } from "./gemini-home.ts";
import { type GeminiLogin, homeOf, toolsVariables } from "./gemini-paths.ts";
import { isReadOnly } from "./tool-limits.ts";

/** One call of Gemini CLI. A leased key comes before the user's login. */
export function begin(turn: CliInvocation, login: GeminiLogin | undefined): CliProcess {
  const { context, endpoint, server } = turn;
  makeHome(context.artifacts, {
    auth: endpoint === undefined ? (login?.auth ?? "oauth-personal") : "gemini-api-key",
    credentials: endpoint === undefined ? login?.folder : undefined,
    hasTools: server !== undefined,
    trusts: turn.trusts,
  });
  return {
    args: argsOf(turn),
    env: envOf(turn),
    preface: turn.request.instructions,
    ...eventReader(turn),
  };
}

const argsOf = (turn: CliInvocation): readonly string[] => [
  ...["--output-format", "stream-json", "--skip-trust"],
  ...["--approval-mode", isReadOnly(turn.request) ? "plan" : "yolo"],
  ...["--allowed-mcp-server-names", turn.server === undefined ? "none" : "until-green"],
  ...argumentsFor(turn, { model: "--model", resume: "--resume", begin: "--session-id" }),
];

function envOf({ context, endpoint, environment, server, trusts }: CliInvocation): Environment {
  return {
    // A Google Cloud login needs the project and location.
    ...(endpoint === undefined ? picked(environment, /^GOOGLE_/) : {}),
    GEMINI_CLI_HOME: homeOf(context.artifacts),
    ...(endpoint && { GOOGLE_GEMINI_BASE_URL: endpoint.baseUrl, GEMINI_API_KEY: endpoint.key }),
    GEMINI_TELEMETRY_ENABLED: "false",
    // Otherwise it starts a child process that does not receive our signals.
    GEMINI_CLI_NO_RELAUNCH: "true",
    GEMINI_CLI_TRUST_WORKSPACE: trusts ? "true" : undefined,
    ...(server && { [toolsVariables.url]: server.url, [toolsVariables.key]: server.key }),
  };
}
