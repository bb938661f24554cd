import { homedir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../processes/environment.ts";

/** The user's folder of pi. */
export const folderOf = (environment: Environment) =>
  environment["PI_CODING_AGENT_DIR"] || join(environment["HOME"] || homedir(), ".pi", "agent");

/** Where pi keeps the conversations of a checkout, below its folder. */
export const sessionsOf = (workspace: string) => join("sessions", workspace.replace(/[^A-Za-z0-9]/g, "-"));
