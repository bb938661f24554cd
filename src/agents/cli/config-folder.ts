import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../../processes/environment.ts";

/** A program's own folder, and the user's files that a private copy contains. */
export interface ConfigFolder {
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
export const configFolder = ({ variable, usual }: ConfigFolder, environment: Environment): string =>
  environment[variable] || join(environment["HOME"] || homedir(), usual);

/** The same of a program that may have none: then it is empty. */
export const homeOf = ({ home }: { readonly home?: ConfigFolder }, environment: Environment): string =>
  home === undefined ? "" : configFolder(home, environment);

/** The variable by which a program finds its folder. */
export const homeVariable = (
  { home }: { readonly home?: ConfigFolder },
  environment: Environment,
): Environment => (home === undefined ? {} : { [home.variable]: environment[home.variable] });

/** Whether a file in that folder tells of a login: that it is there, or the words in it. */
export const hasLoginIn =
  (own: ConfigFolder, file: string, words = /(?:)/) =>
  (environment: Environment): boolean => {
    try {
      return words.test(readFileSync(join(configFolder(own, environment), file), "utf8"));
    } catch {
      return false;
    }
  };
