import { join } from "node:path";
import { homesFolder } from "../ports/agent.ts";

/** The home Gemini CLI is given for a run, which holds its settings and conversations; nothing of it leaves the machine. */
export const homeOf = (artifacts: string): string => join(artifacts, homesFolder, "gemini");

/** What a login of the user's consists of. */
export const loginFiles = ["oauth_creds.json", "google_accounts.json"] as const;

/** Where a call's own server is comes by variables, as the file is of all calls. */
export const toolsVariables = { url: "UNTIL_GREEN_TOOLS_URL", key: "UNTIL_GREEN_TOOLS_KEY" } as const;
