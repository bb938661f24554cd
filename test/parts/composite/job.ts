import { delimiter } from "node:path";
import type { Stub } from "./stub.ts";

/** What one job knows and gathers while its steps run; steps change it in place, as they do on a runner. */
export interface Job extends JobSetting {
  /** Set by `GITHUB_ENV` for the steps that follow. */
  env: Record<string, string>;
  /** Added by `GITHUB_PATH`, the latest last. */
  readonly path: string[];
  readonly masks: Set<string>;
  summary: string;
  readonly annotations: Annotation[];
  readonly log: string[];
  readonly steps: StepRecord[];
  /** What node actions asked to be run at the end of the job, in the order they asked. */
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
  /** How it went, and what that counts for: a failure that may happen counts as success. */
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

/** Notes an annotation, and prints it as the runner does. */
export function annotate(job: Job, { level, message, ...more }: Annotation): void {
  job.annotations.push({ level, message: job.masked(message), ...more });
  print(job, `${level[0]?.toUpperCase()}${level.slice(1)}: ${message}`);
}

/** The environment a step's process gets before its own `env` and command files. */
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

/** The fields of a context that a runner also puts into the environment; tokens and objects are not among them. */
function prefixed(prefix: string, context: Readonly<Record<string, unknown>>): Record<string, string> {
  const fields = Object.entries(context).filter(
    ([name, value]) => typeof value === "string" && name !== "token",
  );
  return Object.fromEntries(fields.map(([name, value]) => [prefix + name.toUpperCase(), String(value)]));
}
