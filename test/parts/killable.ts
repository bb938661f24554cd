import { type SpawnOptions, spawn } from "node:child_process";

/** How a process ended that may have been killed. */
export interface KillableEnd {
  /** `null` if it was killed. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly errors: string;
}

/** Starts Node, with a signal that ends it after a while. */
export function runKillable(
  args: readonly string[],
  options: Pick<SpawnOptions, "cwd" | "env">,
  end?: { readonly signal: NodeJS.Signals; readonly afterMs: number },
): Promise<KillableEnd> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    let out = "";
    let errors = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      errors += text;
    });
    const timer = end && setTimeout(() => child.kill(end.signal), end.afterMs);
    // An orphan may hold its pipe: only the process counts.
    child.once("exit", (code, signal) => {
      clearTimeout(timer);
      setImmediate(() => {
        for (const pipe of [child.stdout, child.stderr]) pipe.destroy();
        resolve({ code, signal, out, errors });
      });
    });
  });
}
