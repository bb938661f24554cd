import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../../processes/environment.ts";

/** A program's own folder, and the user's files to copy into a private one. */
export interface ConfigFolder {
  /** The variable that names the folder. */
  readonly variable: string;
  /** Its default, below the user's home. */
  readonly usual: string;
  /** The file with its login, which the program renews. */
  readonly login?: string;
  /** The user's files and folders that configure it. */
  readonly settings: readonly string[];
}

/** The folder that a program uses in an environment. */
export const configFolder = ({ variable, usual }: ConfigFolder, environment: Environment): string =>
  environment[variable] || join(environment["HOME"] || homedir(), usual);

/** The same for a program that may have no such folder: then empty. */
export const homeOf = ({ home }: { readonly home?: ConfigFolder }, environment: Environment): string =>
  home === undefined ? "" : configFolder(home, environment);

/** The variable that names a program's folder. */
export const homeVariable = (
  { home }: { readonly home?: ConfigFolder },
  environment: Environment,
): Environment => (home === undefined ? {} : { [home.variable]: environment[home.variable] });

/** True if a file in that folder proves a login: by its presence, or by its content. */
export const hasLoginIn =
  (own: ConfigFolder, file: string, pattern = /(?:)/) =>
  (environment: Environment): boolean => {
    try {
      return pattern.test(readFileSync(join(configFolder(own, environment), file), "utf8"));
    } catch {
      return false;
    }
  };

/** The variables whose names match a pattern. */
export const picked = (environment: Environment, names: RegExp): Environment =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => names.test(name)));
