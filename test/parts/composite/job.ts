import { delimiter } from "node:path";
import type { Stub } from "./stub.ts";

/** The state of a job while its steps run; steps change it in place, as on a runner. */
export interface Job extends JobSetting {
  /** Variables set by `GITHUB_ENV` for later steps. */
  env: Record<string, string>;
  /** Added by `GITHUB_PATH`, the latest last. */
  readonly path: string[];
  readonly masks: Set<string>;
  summary: string;
  readonly annotations: Annotation[];
  readonly log: string[];
  readonly steps: StepRecord[];
  /** Post steps of node actions, in the order in which they were registered. */
  readonly posts: (() => Promise<unknown>)[];
  masked(text: string): string;
}

export interface JobSetting {
  readonly temp: string;
  readonly workspace: string;
  readonly github: Readonly<Record<string, unknown>>;
  readonly runner: Readonly<Record<string, string>>;
  readonly machine: Readonly<Record<string, string>>;
  readonly stubs: Readonly<Record<string, Stub>>;
}

export interface Annotation {
  readonly level: "error" | "warning" | "notice";
  readonly message: string;
  readonly title?: string;
  readonly file?: string;
  readonly line?: string;
  readonly [property: string]: string | undefined;
}

export type Outcome = "success" | "failure" | "skipped";

export interface StepRecord {
  readonly id: string | undefined;
  readonly name: string;
  /** How the step ended, and what that counts as: an allowed failure counts as success. */
  readonly outcome: Outcome;
  readonly conclusion: Outcome;
  readonly outputs: Readonly<Record<string, string>>;
}

/** A job before its first step. */
export function openJob(setting: JobSetting): Job {
  const masks = new Set<string>();
  return {
    ...setting,
    env: {},
    path: [],
    masks,
    summary: "",
    annotations: [],
    log: [],
    steps: [],
    posts: [],
    masked: (text) => [...masks].reduce((shown, mask) => shown.replaceAll(mask, "***"), text),
  };
}

/** Prints a line into the job's log. */
export function print(job: Job, line: string): void {
  job.log.push(job.masked(line));
}

/** Records an annotation, and prints it like the runner. */
export function annotate(job: Job, { level, message, ...more }: Annotation): void {
  job.annotations.push({ level, message: job.masked(message), ...more });
  print(job, `${level[0]?.toUpperCase()}${level.slice(1)}: ${message}`);
}

/** The environment of a step's process, without its own `env` and command files. */
export function environment(job: Job, own: Readonly<Record<string, string>>): Record<string, string> {
  const merged: Record<string, string> = { ...job.machine, CI: "true", ...job.env, ...own };
  const path = [...job.path.toReversed(), merged["PATH"] ?? ""].filter(Boolean).join(delimiter);
  return {
    ...merged,
    ...prefixed("GITHUB_", job.github),
    ...prefixed("RUNNER_", job.runner),
    GITHUB_ACTIONS: "true",
    PATH: path,
  };
}

/** The fields of a context that a runner also sets as variables; tokens and objects are excluded. */
function prefixed(prefix: string, context: Readonly<Record<string, unknown>>): Record<string, string> {
  const fields = Object.entries(context).filter(
    ([name, value]) => typeof value === "string" && name !== "token",
  );
  return Object.fromEntries(fields.map(([name, value]) => [prefix + name.toUpperCase(), String(value)]));
}
