import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** Where `npm run agents` installs the agents, for every checkout on this machine. */
export const agentClis =
  process.env["UNTIL_GREEN_AGENT_CLIS"] ??
  join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "until-green", "agent-clis");

/** Whether they are there in the versions that the tests are for. */
export function isInstalled(): boolean {
  const installed = join(agentClis, "installed.json");
  const wanted = new URL("clis/package.json", import.meta.url);
  return existsSync(installed) && readFileSync(installed, "utf8") === readFileSync(wanted, "utf8");
}
