import { rmSync } from "node:fs";
import type { IsolationMode } from "../../ports/isolation.ts";
import type { NetworkRule } from "../../ports/network.ts";
import { copyProject } from "../copy-project.ts";
import type { ExitCode } from "../exit.ts";
import { runCommand } from "../run.ts";
import type { Task } from "./tasks.ts";

export interface TrialSettings {
  readonly agent: string;
  readonly model?: string;
  readonly maxCostUsd?: number;
  readonly isolation?: IsolationMode;
  readonly network?: NetworkRule;
  /** Where the run is recorded. */
  readonly store: string;
  readonly runId: string;
}

/** Runs an agent on a task, in a copy with its own repository; the run is recorded in the store. */
export async function runTrial(task: Task, settings: TrialSettings): Promise<ExitCode> {
  const cwd = await copyProject(task.folder, { name: "eval", message: "A project with a fault" });
  try {
    const { prompt, check: untilBash, protect, maxIterations } = task;
    const options = { ...settings, cwd, prompt, untilBash, protect, maxIterations, quiet: true };
    return await runCommand({ workflow: undefined, message: "", options });
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}
