import type { Environment } from "./environment.ts";
import {
  agentLoginsOf,
  credentialsNamed,
  credentialsOf,
  runnerCredentials,
  runnerFilePaths,
} from "./private-files.ts";
import { ownFolder, storageFolder } from "./temp-folder.ts";

/** Keys, logins, and the runner's own files: no program of a run sees them. */
export const keyPlaces = (environment: Environment, homes: readonly string[]): readonly string[] => [
  ...homes.flatMap(credentialsOf),
  ...credentialsNamed(environment),
  ...runnerCredentials(environment),
];

/** These, and ours: nobody can open them to a program. */
export const protectedPlaces = (environment: Environment, homes: readonly string[]): readonly string[] => [
  ...keyPlaces(environment, homes),
  ...homes.flatMap(agentLoginsOf),
  ...runnerFilePaths(environment),
  ownFolder(),
  storageFolder(),
];
