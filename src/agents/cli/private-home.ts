import {
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { platform } from "node:process";
import { homesFolder } from "../../ports/agent.ts";
import type { Environment } from "../../processes/environment.ts";
import { makeOwnFolders } from "../../processes/make-folder.ts";
import { isThere, leadsToFile } from "../../processes/path-kind.ts";
import { readRegularBytes } from "../../processes/regular-file.ts";
import { type ConfigFolder, configFolder } from "./config-folder.ts";

/** A program's private folder in a run. */
export interface PrivateHome {
  /** The environment, with the variable that names the folder. */
  readonly environment: Environment;
  /** Files outside the folder that it may write. */
  readonly writable: readonly string[];
  /** Copies a renewed login back to the user's folder. */
  close(): void;
}

/**
 * Creates it below the run's artifacts, so that an agent cannot change the settings of the user's own sessions, or
 * what they start. Files are copied once, folders are linked, the login is shared. On macOS, where the keychain finds
 * a login by its folder and there is no isolation, the program keeps the user's folder.
 */
export function openPrivateHome(
  own: ConfigFolder | undefined,
  { name, environment, artifacts }: { name: string; environment: Environment; artifacts: string },
): PrivateHome {
  if (own === undefined || platform === "darwin") return { environment, writable: [], close() {} };
  const userFolder = configFolder(own, environment);
  const home = makeOwnFolders(artifacts, join(homesFolder, name));
  for (const entry of own.settings) copyInto(join(userFolder, entry), join(home, entry));
  const login =
    own.login === undefined ? undefined : { from: join(userFolder, own.login), to: join(home, own.login) };
  const isShared = login !== undefined && leadsToFile(login.from);
  if (isShared) link(login.from, login.to);
  return {
    environment: { ...environment, [own.variable]: home },
    writable: isShared ? [login.from] : [],
    close() {
      if (isShared) takeOver(login);
    },
  };
}

/** Links the existing entries among these names from one folder into another. */
export function linkEntries(names: readonly string[], { from, to }: { from: string; to: string }): void {
  for (const name of names) if (existsSync(join(from, name))) link(join(from, name), join(to, name));
}

function copyInto(from: string, to: string): void {
  const kind = statSync(from, { throwIfNoEntry: false });
  if (kind === undefined || isThere(to)) return;
  if (kind.isDirectory()) link(from, to);
  else if (kind.isFile()) copyFileSync(from, to, constants.COPYFILE_EXCL);
}

/** Parallel calls create the same link. */
function link(from: string, to: string): void {
  if (isThere(to)) return;
  try {
    symlinkSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** A program may replace the link with a new file. The old login may be invalid then. */
function takeOver({ from, to }: { readonly from: string; readonly to: string }): void {
  if (!lstatSync(to, { throwIfNoEntry: false })?.isFile() || !existsSync(from)) return;
  const login = readRegularBytes(to);
  if (login !== undefined) writeFileSync(from, login);
  rmSync(to);
  link(from, to);
}
