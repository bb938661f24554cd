import { z } from "zod";
import { origin } from "../engine/log-events.ts";
import type { StopReason } from "../engine/run-events.ts";
import { usage } from "../ports/agent.ts";
import type { BoundedList } from "./bounded-list.ts";
import { reasonWords } from "./format.ts";
import type { RunStatus } from "./run-status.ts";

/** Parses a status that anybody may have written; `undefined` if it is invalid. */
export function parseRunStatus(value: unknown): RunStatus | undefined {
  const parsed = runStatus.safeParse(value, { jitless: true });
  return parsed.success ? parsed.data : undefined;
}

/** JSON leaves out what is `undefined`. */
const orNot = <T extends z.ZodType>(schema: T) => schema.optional().transform((value) => value);
const text = z.string();
const count = z.number().nonnegative();
const verdict = z.enum(["done", "give-up", "go-on"]);
const reason = z.enum(Object.keys(reasonWords) as [StopReason, ...StopReason[]]);
const most = 200;

const kept = <T extends z.ZodType>(item: T): z.ZodType<BoundedList<z.output<T>>> =>
  z.object({ first: z.array(item).max(most), left: count, last: z.array(item).max(most) });

const tests = z.object({ ran: count, skipped: count }).optional();
const clean = z
  .object({ result: z.enum(["passed", "failed", "unavailable"]), ms: z.number().exactOptional() })
  .optional();
const stop = z.object({
  path: text,
  kind: reason,
  verdict,
  because: text,
  failing: orNot(count),
  tests,
  clean,
});

const diff = z.object({ files: count, added: count, removed: count, paths: z.array(text) });

const row = z.object({
  number: z.int(),
  item: orNot(text),
  startedAt: text,
  durationMs: orNot(count),
  stops: z.array(stop),
  diff: orNot(diff),
  failing: orNot(count),
  snapshot: orNot(text),
  since: orNot(text),
  attempt: z
    .object({ green: z.boolean(), stop_reason: reason, metric: z.number().exactOptional() })
    .exactOptional(),
  usage,
});

const loop = z.object({
  path: text,
  node: text,
  mode: z.enum(["repeat", "for-each", "attempts"]),
  most: orNot(count),
  status: z.enum(["running", "completed", "failed", "skipped", "cancelled"]),
  stopReason: orNot(reason),
  iterations: count,
  chosen: count.exactOptional(),
  before: orNot(stop),
  rows: kept(row),
});

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

const summary = z.object({
  run: text,
  workflow: text,
  agent: orNot(text),
  message: text,
  state: z.enum(["running", "paused", "ended"]),
  conclusion: orNot(z.enum(["success", "failure", "paused", "skipped", "cancelled"])),
  stopReason: orNot(reason),
  because: orNot(text),
  wakeAt: orNot(text),
  startedAt: orNot(text),
  endedAt: orNot(text),
  lastAt: orNot(text),
  activeMs: count,
  iterations: count,
  usage,
  loops: kept(loop),
  gates: z.array(z.object({ path: text, message: text })).max(most),
  notices: kept(notice),
  messages: kept(z.object({ from: text, to: text, text, dropped: orNot(text) })),
  check: orNot(
    z.object({ because: text, count: orNot(count), tail: text, failing: z.array(text).max(most) }),
  ),
  output: text,
});

const gate = z.object({
  need: text,
  path: text,
  message: text,
  since: text,
  nonce: z.string().regex(/^[0-9a-z]{10}$/),
  head: orNot(text),
});

const decider = z.object({ path: text, by: text, nonce: text.exactOptional(), said: text.exactOptional() });

const step = z.object({ id: text, parts: orNot(z.array(text)) });

const runStatus: z.ZodType<RunStatus> = z.object({
  v: z.literal(1),
  summary,
  gates: z.array(gate).max(most),
  origin: orNot(origin),
  decided: orNot(z.array(decider).max(most)),
  steps: orNot(z.array(step)),
  comment: orNot(z.int().positive()),
  job: orNot(z.object({ run: z.int(), attempt: z.int() })),
  work: orNot(z.string().regex(/^[0-9a-f]{40,64}$/)),
});
