import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import type { Environment } from "../processes/environment.ts";

/** A cloud through which Claude Code reaches its model, and where the cloud's login is. */
interface Cloud {
  /** The variable that turns it on. */
  readonly switch: string;
  /** A variable that holds the login itself: no file is needed. */
  readonly keys: readonly string[];
  /** Variables that name files or folders with the login. */
  readonly named: readonly string[];
  /** Where it is if no variable names it, below the user's home. */
  readonly usual: readonly string[];
}

const clouds: readonly Cloud[] = [
  {
    switch: "CLAUDE_CODE_USE_BEDROCK",
    keys: ["AWS_BEARER_TOKEN_BEDROCK", "AWS_ACCESS_KEY_ID"],
    named: ["AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"],
    usual: [".aws"],
  },
  {
    switch: "CLAUDE_CODE_USE_VERTEX",
    keys: [],
    named: ["GOOGLE_APPLICATION_CREDENTIALS", "CLOUDSDK_CONFIG"],
    usual: [".config", "gcloud"],
  },
  {
    switch: "CLAUDE_CODE_USE_FOUNDRY",
    keys: ["ANTHROPIC_FOUNDRY_API_KEY", "AZURE_CLIENT_SECRET"],
    named: ["AZURE_FEDERATED_TOKEN_FILE", "AZURE_CONFIG_DIR"],
    usual: [".azure"],
  },
];

const cloudsIn = (environment: Environment) => clouds.filter((cloud) => environment[cloud.switch]);

export const usesCloud = (environment: Environment): boolean => cloudsIn(environment).length > 0;

/** The files and folders with the login of the cloud in use, as far as they exist: the walls hide all others. */
export function cloudLogin(environment: Environment): readonly string[] {
  const usual = (cloud: Cloud) => join(environment["HOME"] || homedir(), ...cloud.usual);
  return cloudsIn(environment)
    .filter(({ keys }) => !keys.some((name) => environment[name]))
    .flatMap((cloud) => {
      const named = cloud.named.flatMap((name) => environment[name]?.split(delimiter) ?? []);
      return named.length > 0 ? named : [usual(cloud)];
    })
    .filter((path) => existsSync(path));
}
