import type { Environment } from "../processes/environment.ts";
import type { CliInvocation } from "./cli/cli-definition.ts";
import { picked } from "./cli/config-folder.ts";
import { argumentsFor } from "./cli/flags.ts";
import { homeOf, toolsVariables } from "./gemini-paths.ts";
import { isReadOnly } from "./tool-limits.ts";

/** The arguments of one call of Gemini CLI. */
export const argsOf = (turn: CliInvocation): readonly string[] => [
  ...["--output-format", "stream-json", "--skip-trust"],
  ...["--approval-mode", isReadOnly(turn.request) ? "plan" : "yolo"],
  ...["--allowed-mcp-server-names", turn.server === undefined ? "none" : "until-green"],
  ...argumentsFor(turn, { model: "--model", resume: "--resume", begin: "--session-id" }),
];

/** The variables of one call of Gemini CLI. */
export function envOf({ context, endpoint, environment, server, trusts }: CliInvocation): Environment {
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
