import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { openCommandFiles, parsePairs } from "./command-files.ts";
import { annotate, environment, type Job } from "./job.ts";
import { readLog } from "./log-commands.ts";

export interface StepProcess {
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface StepEnd {
  readonly ok: boolean;
  readonly outputs: Readonly<Record<string, string>>;
  readonly state: Readonly<Record<string, string>>;
}

/** Runs the process of a step, and applies what it requested in files and in its log to the job. */
export async function runProcess(job: Job, { command, cwd, env }: StepProcess): Promise<StepEnd> {
  const files = await openCommandFiles(job.temp);
  const log = readLog(job);
  const [program, ...args] = command;
  const child = spawn(program, args, {
    cwd,
    env: { ...environment(job, env), ...files.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [child.stdout, child.stderr]) createInterface(stream).on("line", log.line);
  const [code] = await once(child, "close");
  if (code !== 0) annotate(job, { level: "error", message: `Process completed with exit code ${code}.` });

  Object.assign(job.env, allowed(job, parsePairs(await files.read("ENV"))));
  job.path.push(...(await files.read("PATH")).split(/\r?\n/).filter(Boolean));
  job.summary += await files.read("STEP_SUMMARY");
  const outputs = { ...log.outputs, ...parsePairs(await files.read("OUTPUT")) };
  return { ok: code === 0, outputs, state: { ...log.state, ...parsePairs(await files.read("STATE")) } };
}

/** A step cannot change variables that the runner sets itself. */
function allowed(job: Job, env: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(env).filter(([name]) => !/^(?:GITHUB_|RUNNER_|NODE_OPTIONS$)/i.test(name));
  const refused = Object.keys(env).length - kept.length;
  if (refused > 0)
    annotate(job, { level: "error", message: "GITHUB_ENV may not set GITHUB_*, RUNNER_* or NODE_OPTIONS." });
  return Object.fromEntries(kept);
}
