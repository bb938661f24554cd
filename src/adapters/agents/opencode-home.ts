import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../environment.ts";

const configFolder = (environment: Environment): string =>
  join(environment["XDG_CONFIG_HOME"] || join(environment["HOME"] || homedir(), ".config"), "opencode");

/** How many calls under way count on what was laid into a folder. */
const users = new Map<string, number>();

/**
 * Keeps opencode from asking npm for the packages of plugins where nobody has any: with an empty folder for them, and a
 * lock that says they are there, its own folder looks as it leaves it itself. Answers what takes both away again.
 */
export function withoutInstall(environment: Environment): () => void {
  const folder = configFolder(environment);
  try {
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

/** Whether nothing is in it but what opencode lays there at its first start, and what we do. */
function isBare(folder: string): boolean {
  if (!existsSync(folder)) return true;
  return readdirSync(folder).every((name) => {
    if (name === "node_modules") return readdirSync(join(folder, name)).length === 0;
    if (name === "package-lock.json") return readFileSync(join(folder, name), "utf8") === lockText;
    return name === ".gitignore";
  });
}
