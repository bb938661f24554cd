import { spawn } from "node:child_process";
import { delimiter, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { expect } from "vitest";
import { builtCommandLine } from "../parts/built.ts";
import { agentClis } from "./agent-clis.ts";

type Env = Readonly<Record<string, string | undefined>>;

interface Running {
  readonly workspace: string;
  readonly env: Env;
  readonly timeoutMs?: number;
}

/** Runs `until-green` with the real agents on the PATH. Returns its events. */
export async function runByCommandLine(
  args: readonly string[],
  { workspace, env, timeoutMs = 100_000 }: Running,
): Promise<readonly Record<string, unknown>[]> {
  const path = [join(agentClis, "node_modules", ".bin"), dirname(process.execPath), env["PATH"]].join(
    delimiter,
  );
  const main = builtCommandLine();
  const child = spawn(process.execPath, [main, ...args, "--json"], {
    cwd: workspace,
    env: { ...env, PATH: path },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: timeoutMs,
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const lines = stdout.split("\n").filter((line) => line !== "");
  if (lines.length === 0) expect.fail(stderr);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}
