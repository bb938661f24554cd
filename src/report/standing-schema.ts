import { z } from "zod";
import { origin } from "../engine/event.ts";
import type { StopReason } from "../engine/told.ts";
import { usage } from "../ports/agent.ts";
import type { Kept } from "./kept.ts";
import type { Standing } from "./standing.ts";
import { reasonWords } from "./words.ts";

/** Reads a standing that anybody may have written; `undefined` for what is none. */
export function readStanding(value: unknown): Standing | undefined {
  const parsed = standing.safeParse(value, { jitless: true });
  return parsed.success ? parsed.data : undefined;
}

/** JSON leaves out what is `undefined`. */
const orNot = <T extends z.ZodType>(schema: T) => schema.optional().transform((value) => value);
const text = z.string();
const count = z.number().nonnegative();
const verdict = z.enum(["done", "give-up", "go-on"]);
const reason = z.enum(Object.keys(reasonWords) as [StopReason, ...StopReason[]]);
const most = 200;

const kept = <T extends z.ZodType>(item: T): z.ZodType<Kept<z.output<T>>> =>
  z.object({ first: z.array(item).max(most), left: count, last: z.array(item).max(most) });

const stop = z.object({ path: text, kind: reason, verdict, because: text, failing: orNot(count) });

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
  usage,
});

const loop = z.object({
  path: text,
  node: text,
  mode: z.enum(["repeat", "for-each"]),
  most: orNot(count),
  status: z.enum(["running", "completed", "failed", "skipped", "cancelled"]),
  stopReason: orNot(reason),
  iterations: count,
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

const standing: z.ZodType<Standing> = z.object({
  v: z.literal(1),
  summary,
  gates: z.array(gate).max(most),
  origin: orNot(origin),
  decided: orNot(z.array(decider).max(most)),
  comment: orNot(z.int().positive()),
  job: orNot(z.object({ run: z.int(), attempt: z.int() })),
  work: orNot(z.string().regex(/^[0-9a-f]{40,64}$/)),
});
