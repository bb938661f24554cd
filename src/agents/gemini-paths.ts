import { join } from "node:path";
import { homesFolder } from "../ports/agent.ts";

/**
 * The home that Gemini CLI gets in a run, with its settings and conversations; it is not copied to other machines.
 */
export const homeOf = (artifacts: string): string => join(artifacts, homesFolder, "gemini");

/** A user's login. */
export interface GeminiLogin {
  /** The method, by Gemini CLI's name. */
  readonly auth: string;
  readonly folder: string;
}

/** The files of a user's login. */
export const loginFiles = ["oauth_creds.json", "google_accounts.json"] as const;

/** Variables with the address of a call's tool server: the settings file is shared by all calls. */
export const toolsVariables = { url: "UNTIL_GREEN_TOOLS_URL", key: "UNTIL_GREEN_TOOLS_KEY" } as const;
