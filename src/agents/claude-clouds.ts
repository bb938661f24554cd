import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import type { Environment } from "../processes/environment.ts";

/** A cloud through which Claude Code can reach its model, and the places of the cloud's login. */
interface Cloud {
  /** The variable that enables it. */
  readonly switch: string;
  /** Variables that contain the login itself, so that no file is needed. */
  readonly keys: readonly string[];
  /** Variables with paths of files or folders that contain the login. */
  readonly named: readonly string[];
  /** The default path, below the user's home. */
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

/** The existing files and folders with the login of the cloud in use; the isolation hides all others. */
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
