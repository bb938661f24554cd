import { homedir, userInfo } from "node:os";
import { isAbsolute } from "node:path";
import type { Environment } from "./environment.ts";

/**
 * This user's home folders: `HOME`, and the one of the user's entry, which ssh and Java use. They differ in a job that
 * runs in a container.
 */
export function homesOf(environment: Environment, listed = listedHome()): readonly string[] {
  return [...new Set([environment["HOME"] || homedir(), listed])].filter(isAbsolute);
}

/** Empty for a user without an entry, as in many containers. */
export function listedHome(): string {
  try {
    return userInfo().homedir;
  } catch {
    return "";
  }
}
