import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../processes/environment.ts";

/** The folder of opencode's login and database. */
export const dataFolder = (environment: Environment): string =>
  join(environment["XDG_DATA_HOME"] || join(environment["HOME"] || homedir(), ".local", "share"), "opencode");

/** The folder of opencode's own state. */
export const stateFolder = (environment: Environment): string =>
  join(
    environment["XDG_STATE_HOME"] || join(environment["HOME"] || homedir(), ".local", "state"),
    "opencode",
  );

const configFolder = (environment: Environment): string =>
  join(environment["XDG_CONFIG_HOME"] || join(environment["HOME"] || homedir(), ".config"), "opencode");

/** How many running calls need the files in a folder. */
const users = new Map<string, number>();

/**
 * Keeps opencode from requesting plugin packages from npm if none are configured: an empty folder and a lock file
 * make it look as if they were installed. Returns a function that removes both.
 */
export function withoutInstall(environment: Environment): () => void {
  const folder = configFolder(environment);
  try {
    // It creates this file if it is missing, which may not be allowed inside the isolation.
    mkdirSync(folder, { recursive: true });
    if (!existsSync(join(folder, ".gitignore"))) writeFileSync(join(folder, ".gitignore"), ignored);
    if (!isBare(folder)) return () => undefined;
    mkdirSync(join(folder, "node_modules"), { recursive: true });
    writeFileSync(join(folder, "package-lock.json"), lockText);
  } catch {
    return () => undefined; // it cannot write there either
  }
  users.set(folder, (users.get(folder) ?? 0) + 1);
  return () => {
    const left = (users.get(folder) ?? 1) - 1;
    users.set(folder, left);
    if (left === 0) clear(folder);
  };
}

const ignored = ["node_modules", "package.json", "package-lock.json", "bun.lock", ".gitignore", ""].join(
  "\n",
);

function clear(folder: string): void {
  try {
    if (!isBare(folder)) return;
    rmSync(join(folder, "package-lock.json"), { force: true });
    rmdirSync(join(folder, "node_modules"));
  } catch {
    // another process was first
  }
}

const lockText = JSON.stringify({ packages: { "": { dependencies: { "@opencode-ai/plugin": "*" } } } });

/** True if it contains only what opencode creates at its first start, and what we add. */
function isBare(folder: string): boolean {
  if (!existsSync(folder)) return true;
  return readdirSync(folder).every((name) => {
    if (name === "node_modules") return readdirSync(join(folder, name)).length === 0;
    if (name === "package-lock.json") return readFileSync(join(folder, name), "utf8") === lockText;
    return name === ".gitignore";
  });
}
