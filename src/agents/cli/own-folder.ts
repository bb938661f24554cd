import { homedir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../../processes/environment.ts";

/** A program's own folder, and the user's files that a private copy contains. */
export interface OwnFolder {
  /** The variable that names the folder. */
  readonly variable: string;
  /** Where it is without that, below the user's home. */
  readonly usual: string;
  /** The file of its login, which it renews. */
  readonly login?: string;
  /** The user's files and folders that configure it. */
  readonly settings: readonly string[];
}

/** The folder that a program uses in an environment. */
export const ownFolder = ({ variable, usual }: OwnFolder, environment: Environment): string =>
  environment[variable] || join(environment["HOME"] || homedir(), usual);
