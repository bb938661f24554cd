import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Annotation, type Job, openJob, type StepRecord } from "./job.ts";
import { finishJob, runAction } from "./steps.ts";
import type { Stub } from "./stub.ts";

export interface CompositeRun {
  /** The folder with the `action.yml`. */
  readonly actionDir: string;
  /** What a workflow would write under `with`. */
  readonly inputs?: Readonly<Record<string, string>>;
  readonly workspace: string;
  /** The environment of the machine and the job; without a `PATH`, that of this process is used. */
  readonly env?: Readonly<Record<string, string>>;
  /** Fields of the `github` context, `event` among them, over plain defaults. */
  readonly github?: Readonly<Record<string, unknown>>;
  /** Stubs for other people's actions, by the part before `@`: a folder with an action, or a function. */
  readonly stubs?: Readonly<Record<string, Stub>>;
  /** What an earlier step did in the job's temporary folder. */
  before?(temp: string): void;
}

export interface CompositeResult {
  readonly ok: boolean;
  readonly outputs: Readonly<Record<string, string>>;
  /** The job summary, in Markdown. */
  readonly summary: string;
  readonly annotations: readonly Annotation[];
  /** The visible log of the job, line by line, with secrets masked. */
  readonly log: readonly string[];
  /** All steps in the order in which they ended; steps of nested actions come before the step that used them. */
  readonly steps: readonly StepRecord[];
}

/** Runs an action on this machine like a job's runner; expressions and their rules are GitHub's own. */
export async function runComposite(options: CompositeRun): Promise<CompositeResult> {
  const temp = await mkdtemp(join(tmpdir(), "composite-"));
  try {
    const job = await jobFor(options, temp);
    options.before?.(temp);
    const { ok, outputs } = await runAction(job, { dir: options.actionDir, inputs: options.inputs ?? {} });
    await finishJob(job);
    const { annotations, log, steps } = job;
    return { ok, outputs, summary: job.masked(job.summary), annotations, log, steps };
  } finally {
    await rm(temp, { recursive: true, force: true });
  }
}

/** A job on this machine, with its `github` and `runner` contexts. */
export async function jobFor(
  options: Omit<CompositeRun, "actionDir" | "inputs">,
  temp: string,
): Promise<Job> {
  const { workspace, env = {}, stubs = {} } = options;
  const github = { ...githubDefaults, workspace, ...options.github };
  const eventPath = join(temp, "event.json");
  await writeFile(eventPath, JSON.stringify(github.event));
  const runner = { os: "Linux", arch: "X64", name: "local", temp, tool_cache: join(temp, "tools") };
  await mkdir(runner.tool_cache);
  return openJob({
    temp,
    workspace,
    github: { ...github, event_path: eventPath },
    runner,
    machine: { PATH: process.env["PATH"] ?? "", ...env },
    stubs,
  });
}

const githubDefaults = {
  event_name: "workflow_dispatch",
  event: {},
  repository: "octocat/hello",
  repository_owner: "octocat",
  actor: "octocat",
  triggering_actor: "octocat",
  sha: "0".repeat(40),
  ref: "refs/heads/main",
  ref_name: "main",
  ref_type: "branch",
  head_ref: "",
  base_ref: "",
  run_id: "1",
  run_number: "1",
  run_attempt: "1",
  job: "test",
  workflow: "test",
  server_url: "https://github.com",
  api_url: "https://api.github.com",
  graphql_url: "https://api.github.com/graphql",
  token: "",
};
