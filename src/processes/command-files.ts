import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Environment, runnerFileNames } from "./environment.ts";
import { removeAll } from "./remove-all.ts";
import { makeTempFolder } from "./temp-folder.ts";

/**
 * In a job, gives a program empty files in place of the runner's command files. Programs that see `GITHUB_ACTIONS`
 * write to them (a summary of tests, an output), and the runner's own are not theirs. Nobody reads these.
 */
export function openCommandFiles(env: Environment): {
  readonly env: Readonly<Record<string, string>>;
  /** Where they are. */
  readonly folders: readonly string[];
  remove(): void;
} {
  const missing = runnerFileNames.filter((name) => env[name] === undefined);
  if (env["GITHUB_ACTIONS"] !== "true" || missing.length === 0) return { env: {}, folders: [], remove() {} };
  const folder = makeTempFolder("commands");
  const files = missing.map((name) => [name, join(folder, name)] as const);
  for (const [, path] of files) writeFileSync(path, "", { mode: 0o600 });
  return { env: Object.fromEntries(files), folders: [folder], remove: () => removeAll(folder) };
}
