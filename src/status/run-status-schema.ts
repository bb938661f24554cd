import { z } from "zod";
import { origin } from "../engine/log-events.ts";
import type { StopReason } from "../engine/run-events.ts";
import { usage } from "../ports/agent.ts";
import type { Infer } from "../ports/infer.ts";
import { reviewReason } from "../ports/review-reason.ts";
import type { BoundedList } from "./bounded-list.ts";
import { reasonWords } from "./format.ts";

/** Parses a status from an untrusted source; `undefined` if it is invalid. */
export const parseRunStatus = (value: unknown): RunStatus | undefined =>
  runStatus.safeParse(value, { jitless: true }).data;

/** JSON omits properties that are `undefined`. */
const orNot = <T extends z.ZodType>(schema: T) => schema.optional().transform((value) => value);
const text = z.string();
const count = z.number().nonnegative();
const reason = z.enum(Object.keys(reasonWords) as [StopReason, ...StopReason[]]);
const most = 200;

const kept = <T extends z.ZodType>(item: T): z.ZodType<BoundedList<z.output<T>>> =>
  z.object({ first: z.array(item).max(most), left: count, last: z.array(item).max(most) });

const stop = z.object({
  path: text,
  kind: reason,
  verdict: z.enum(["done", "give-up", "go-on"]),
  because: text,
  failing: orNot(count),
  /** How many tests the check ran, and how many were skipped, if its output reports it. */
  tests: z.object({ ran: count, skipped: count }).optional(),
  clean: z
    .object({ result: z.enum(["passed", "failed", "unavailable"]), ms: z.number().exactOptional() })
    .optional(),
});

export type StopSeen = Infer<typeof stop>;

const row = z.object({
  number: z.int(),
  item: orNot(text),
  startedAt: text,
  durationMs: orNot(count),
  stops: z.array(stop),
  diff: orNot(z.object({ files: count, added: count, removed: count, paths: z.array(text) })),
  /** Failing tests after the iteration, if its check reported them. */
  failing: orNot(count),
  snapshot: orNot(text),
  /** The snapshot it started from. */
  since: orNot(text),
  /** How it ended, if it is one of several attempts. */
  attempt: z
    .object({ green: z.boolean(), stop_reason: reason, metric: z.number().exactOptional() })
    .optional(),
  usage,
});

export type IterationRow = Infer<typeof row>;

/** One loop of a run, for people. */
const loop = z.object({
  path: text,
  node: text,
  mode: z.enum(["repeat", "for-each", "attempts"]),
  /** Maximum iterations, or the number of items. */
  most: orNot(count),
  status: z.enum(["running", "completed", "failed", "skipped", "cancelled"]),
  stopReason: orNot(reason),
  iterations: count,
  /** Of several attempts, the one whose work is kept. */
  chosen: count.optional(),
  /** The check's result before the first iteration, if it ran. */
  before: orNot(stop),
  rows: kept(row),
});

export type LoopSummary = Infer<typeof loop>;

const notice = z.object({
  type: z.literal("notice"),
  code: text,
  message: text,
  path: text.exactOptional(),
  file: text.exactOptional(),
  line: z.int().exactOptional(),
  column: z.int().exactOptional(),
  hint: text.exactOptional(),
});

/** A message between steps and people; `dropped` is the reason if nobody read it. */
const message = z.object({ from: text, to: text, text, dropped: orNot(text) });

export type Message = Infer<typeof message>;

/** What a person decided about a run. */
const decision = z.object({
  at: text,
  decision: z.enum(["approve", "reject", "cancel"]),
  by: text,
  text,
  /** The gate's path as people see it; absent for a cancellation. */
  path: text.exactOptional(),
});

export type Decision = Infer<typeof decision>;

/** A check that did not pass: how it ended, and the end of its output. */
const failingCheck = z.object({
  because: text,
  /** Number of failing tests, if the output reports it. */
  count: count.optional(),
  /** The last 20 lines, at most 4,000 characters. */
  tail: text,
  /** The failing tests that are known, with the failed assertion or another message. */
  failing: z.array(z.object({ name: text, message: text.exactOptional() })).max(most),
});

export type FailingCheck = Infer<typeof failingCheck>;

/** A summary of a whole run; its size is bounded, however long the run. */
const summary = z.object({
  run: text,
  workflow: text,
  agent: orNot(text),
  message: text,
  state: z.enum(["running", "paused", "ended"]),
  conclusion: orNot(z.enum(["success", "failure", "paused", "skipped", "cancelled"])),
  stopReason: orNot(reason),
  because: orNot(text),
  /** When to resume a paused run, in ISO 8601; absent if a person or its next job decides. */
  wakeAt: text.optional(),
  /** True if a signal paused the run, and not its time limit. */
  interrupted: z.literal(true).optional(),
  startedAt: orNot(text),
  endedAt: orNot(text),
  /** Time of the last event. */
  lastAt: orNot(text),
  /** Active time; pauses do not count. */
  activeMs: count,
  iterations: count,
  usage,
  loops: kept(loop),
  /** Open gates, oldest first. A stored status has no messages, which repeat what it has elsewhere. */
  gates: z.array(z.object({ path: text, question: text, message: text.exactOptional() })).max(most),
  notices: kept(notice),
  messages: kept(message),
  /** What people decided. */
  decisions: kept(decision).optional(),
  /** Output of the last check, while it is red. */
  check: failingCheck.optional(),
  /** Why a person should look at green work. */
  review: z.array(reviewReason).max(most).optional(),
  /** The output of the run, else of its last iteration or node. */
  output: text,
});

export type Summary = Infer<typeof summary>;

const gate = z.object({
  /** Identifies the gate in a decision. */
  need: text,
  /** The path as people see it. */
  path: text,
  /** What is decided, without the check's result and the commands. */
  question: text,
  /** ISO 8601. */
  since: text,
  /** 10 characters that identify the gate: a button or a late answer names the gate that it was shown for. */
  nonce: z.string().regex(/^[0-9a-z]{10}$/),
  /** The head of the branch when the gate was shown. */
  head: orNot(text),
});

export type StatusGate = Infer<typeof gate>;

const decider = z.object({
  /** The gate's path as people see it. */
  path: text,
  by: text,
  /** The gate's nonce when it was shown. */
  nonce: text.exactOptional(),
  /** The source of the decision: a comment's id, or a delivery. A repeated source adds nothing. */
  source: text.exactOptional(),
});

export type GateDecider = Infer<typeof decider>;

/** The id of the workflow run on the host. */
const job = z.object({ run: z.int(), attempt: z.int() });

export type StatusJob = Infer<typeof job>;

const runStatus = z.object({
  v: z.literal(1),
  summary,
  /** Open gates, oldest first. */
  gates: z.array(gate).max(most),
  origin: orNot(origin),
  /** Who decided the last gates, newest last: used to reply to late decisions. */
  decided: z.array(decider).max(most).optional(),
  /** Possible recipients of messages; omitted for a plan with many steps. */
  steps: z.array(z.object({ id: text, parts: z.array(text).optional() })).optional(),
  /** The run's one comment on its pull request. */
  comment: z.int().positive().optional(),
  /** The job that drove the run last. */
  job: orNot(job),
  /** The workspace snapshot that the status belongs to. */
  work: orNot(z.string().regex(/^[0-9a-f]{40,64}$/)),
});

/**
 * The run status stored at the tip of the event log, so that readers need not replay the log: at most 64 KiB of JSON.
 * Anyone with write access may have written it, so it is parsed by schema and shown escaped.
 */
export type RunStatus = Infer<typeof runStatus>;
