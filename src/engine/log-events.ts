import { z } from "zod";
import { planSchema } from "../plan/plan.ts";
import { sharedBudget } from "../plan/shared-budget.ts";
import { agentFault, usage } from "../ports/agent.ts";
import { answers } from "../ports/effects.ts";
import { commandEvents } from "./command-events.ts";

const at = { at: z.string() };
const where = { ...at, path: z.string() };
const met = { ...where, type: z.literal("need.met") };

const warning = z.strictObject({
  code: z.string(),
  message: z.string(),
  file: z.string(),
  line: z.int(),
  column: z.int(),
  hint: z.string().exactOptional(),
});

/** Where a run was started, as far as its host reports it. */
export const origin = z.strictObject({
  /** `owner/name`. */
  repository: z.string(),
  /** The pull request it belongs to. */
  pull: z.int().exactOptional(),
  /** The issue it was started from, if it belongs to no pull request. */
  issue: z.int().exactOptional(),
  /** The commit it started from. */
  head: z.string().exactOptional(),
  /** The commit that was checked out: the merge commit on a pull request. */
  checkout: z.string().exactOptional(),
  branch: z.string().exactOptional(),
  /** The workflow file that resumes the run, like `.github/workflows/loop.yml`. */
  workflow: z.string().exactOptional(),
  /** Who started it. */
  actor: z.string().exactOptional(),
  /** The folder of the repository it runs in, if not the top. */
  folder: z.string().exactOptional(),
});

export type RunOrigin = z.infer<typeof origin>;

/** The pull request or issue whose comments control a run. GitHub numbers both in one series. */
export const conversationOf = (from: Pick<RunOrigin, "pull" | "issue"> | undefined): number | undefined =>
  from?.pull ?? from?.issue;

/** The issue that a run was started from, as it was then. Untrusted: prompts show it as data. */
const issue = z.strictObject({ number: z.int(), by: z.string(), title: z.string(), body: z.string() });

export type IssueFacts = z.infer<typeof issue>;

/** The series that a run belongs to, as it was when the run started. */
const series = z.strictObject({
  /** The branch that all runs of the series publish to. */
  goal: z.string(),
  /** Identifies the workflow's content. */
  file: z.string(),
  /** The commit of that branch that this run started from. */
  from: z.string().exactOptional(),
  /** Notes that earlier runs left. */
  notes: z.string(),
  /** What earlier runs did, one line each. */
  history: z.string(),
  /** What checks and reviewers report about the work so far. */
  feedback: z.string().exactOptional(),
  /** Review threads to answer and resolve with the work. */
  threads: z.array(z.string()).exactOptional(),
  /** Reviewers who requested changes and are asked to review again. */
  reviewers: z.array(z.string()).exactOptional(),
  /** How many of the latest runs failed in a row. */
  failures: z.int().exactOptional(),
  /** Files with conflict markers, changed on both the branch and the base. */
  conflicts: z.array(z.string()),
});

export type SeriesFacts = z.infer<typeof series>;

/** What was decided when the run started and holds until it ends. */
export const runSettingsSchema = z.strictObject({
  run: z.string(),
  message: z.string(),
  /** The message is untrusted: prompts show it as data. */
  strangers: z.literal(true).exactOptional(),
  inputs: z.record(z.string(), z.string()),
  /** Inputs with untrusted text: prompts show them as data. */
  strange_inputs: z.array(z.string()).exactOptional(),
  file: z.string().exactOptional(),
  /** Set by the user; overrides the file. */
  agent: z.string().exactOptional(),
  model: z.string().exactOptional(),
  /** The agent used if neither the user nor the file names one. */
  default_agent: z.string().exactOptional(),
  /** The same for judges and yes/no questions; defaults to `default_agent`. */
  default_judge: z.string().exactOptional(),
  artifacts: z.string(),
  base_branch: z.string(),
  docs_dir: z.string(),
  /**
   * The folder its commands run in, relative to the top of the repository; empty at the top, absent without a
   * repository.
   */
  folder: z.string().exactOptional(),
  /** git's name of the linked worktree it runs in, if its record is on this machine; absent in the main checkout. */
  worktree: z.string().exactOptional(),
  /** Whether each iteration is committed as a snapshot. */
  snapshots: z.boolean(),
  /** Compiler warnings, reported when the run starts. */
  warnings: z.array(warning),
  /** Written by earlier builds, and always true; ignored. */
  reserves: z.literal(true).exactOptional(),
  waits: z.literal(true).exactOptional(),
  limits: z.strictObject({ usd: z.number().exactOptional(), tokens: z.number().exactOptional() }),
  /**
   * The budget shared by all jobs of a fan-out, if this run is one of them; its limits are this run's initial share.
   */
  shared_budget: sharedBudget.exactOptional(),
  origin: origin.exactOptional(),
  issue: issue.exactOptional(),
  series: series.exactOptional(),
  /** What checks or reviewers reported, if that started this run. */
  reported: z.string().exactOptional(),
  /** Green work that a person should look at is reviewed in its pull request; otherwise the run asks at a gate. */
  reviewed_in: z.literal("pull-request").exactOptional(),
});

export type RunSettings = z.infer<typeof runSettingsSchema>;

/**
 * Why a run is paused: it waits for a person, a person asked it to pause, its time in this process is up, or a provider
 * refuses requests for now.
 */
export const pauseReasons = ["gate", "requested", "time-limit", "rate-limit", "outage"] as const;

/** One recorded event, named in the past tense. Written once, never changed. */
export const logEventSchema = z.discriminatedUnion("type", [
  z.strictObject({
    ...at,
    type: z.literal("run.started"),
    v: z.literal(1),
    plan: planSchema,
    facts: runSettingsSchema,
  }),
  z.strictObject({ ...at, type: z.literal("run.resumed"), by: z.string() }),
  z.strictObject({
    ...at,
    type: z.literal("run.paused"),
    stop_reason: z.enum(pauseReasons),
    /** When a paused run is worth resuming, in ISO 8601; absent if it waits for a person. */
    wake_at: z.string().exactOptional(),
    /** Set for `time-limit` if a signal, such as Ctrl-C, paused the run, and not its limit. */
    interrupted: z.literal(true).exactOptional(),
  }),
  ...commandEvents,
  z.strictObject({ ...at, type: z.literal("run.ended"), conclusion: z.string(), stop_reason: z.string() }),
  z.strictObject({ ...where, type: z.literal("need.begun") }),
  z.strictObject({
    ...where,
    type: z.literal("need.failed"),
    because: z.string(),
    fault: agentFault.exactOptional(),
    final: z.boolean(),
    usage: usage.exactOptional(),
    tag: z.string().exactOptional(),
  }),
  z.discriminatedUnion("port", [
    z.strictObject({ ...met, port: z.literal("agent"), answer: answers.agent }),
    z.strictObject({ ...met, port: z.literal("shell"), answer: answers.shell }),
    z.strictObject({ ...met, port: z.literal("script"), answer: answers.script }),
    z.strictObject({ ...met, port: z.literal("budget"), answer: answers.budget }),
    z.strictObject({ ...met, port: z.literal("timer"), answer: answers.timer }),
    z.strictObject({ ...met, port: z.literal("file"), answer: answers.file }),
    z.strictObject({ ...met, port: z.literal("workspace"), answer: answers.workspace }),
  ]),
]);

export type LogEvent = z.infer<typeof logEventSchema>;
export type RunStarted = Extract<LogEvent, { type: "run.started" }>;

/** The log contains a different answer than the plan requires. The engine does not guess. */
export class LogMismatchError extends Error {
  override readonly name = "LogMismatchError";
}

/**
 * These schemas stay uncompiled: most logs are short, and even for a long one compiling would save only a fifth of
 * the time.
 */
const readOnce = { jitless: true } as const;

/** The last parsed `run.started` line. It holds the whole plan, and a process reads its run many times. */
let lastStart: { readonly line: string; readonly event: RunStarted } | undefined;

/** Parses one line of a log. Throws if it is not an event, or was written by a newer version. */
export function parseLogEvent(line: string): LogEvent {
  if (line === lastStart?.line) return lastStart.event;
  const event = parseAnew(line);
  if (event.type === "run.started") lastStart = { line, event };
  return event;
}

function parseAnew(line: string): LogEvent {
  const value: unknown = JSON.parse(line);
  const parsed = logEventSchema.safeParse(value, readOnce);
  if (parsed.success) return parsed.data;
  const version = (value as { v?: unknown } | null)?.v;
  if (typeof version === "number" && version > 1) {
    throw new LogMismatchError(
      `the run was written by a newer until-green (log version ${version}); use that version to resume it`,
    );
  }
  const [issue] = parsed.error.issues;
  throw new LogMismatchError(
    `the log holds an event this version cannot read (${issue?.path.join(".")}: ${issue?.message}); ` +
      "resume the run with the version that wrote it",
  );
}
