import { env as ours } from "node:process";
import { pathOutside } from "./program-path.ts";

/**
 * The environment of every git that we start in a folder. Git fetches missing objects by itself, from a host and with a
 * program that the repository's settings name, and agents can write some of them. So git may use only the protocols
 * that the call names: none, unless it is meant to contact a host.
 */
export const gitEnvironment = (folder: string, protocols = "none") => ({
  // git starts other programs by name, such as git-lfs.
  PATH: pathOutside(folder, ours["PATH"]),
  LC_ALL: "C",
  GIT_ALLOW_PROTOCOL: protocols,
  GIT_ATTR_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
});
