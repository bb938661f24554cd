import { z } from "zod";
import { planSchema } from "../plan/schema.ts";
import { agentFault, usage } from "../ports/agent.ts";
import { answers } from "../ports/questions.ts";

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

/** Where a run was begun, as far as its host says. */
export const origin = z.strictObject({
  /** `owner/name`. */
  repository: z.string(),
  /** The pull request it belongs to. */
  pull: z.int().exactOptional(),
  /** The commit it started from. */
  head: z.string().exactOptional(),
  /** The commit that was checked out: that of a merge, where a pull request is. */
  checkout: z.string().exactOptional(),
  branch: z.string().exactOptional(),
  /** The file of the host's workflow that goes on with it, like `.github/workflows/loop.yml`. */
  workflow: z.string().exactOptional(),
  /** Who began it. */
  actor: z.string().exactOptional(),
  /** The folder of the repository it works in, where that is not the top. */
  folder: z.string().exactOptional(),
});

export type Origin = z.infer<typeof origin>;

/** What was decided when the run began and holds for its whole life. */
export const runFacts = z.strictObject({
  run: z.string(),
  message: z.string(),
  inputs: z.record(z.string(), z.string()),
  file: z.string().exactOptional(),
  /** Given by the user; wins over whatever the file says. */
  agent: z.string().exactOptional(),
  model: z.string().exactOptional(),
  /** Taken where neither the user nor the file says who works. */
  default_agent: z.string().exactOptional(),
  /** The same for judges and yes/no questions; `default_agent` unless told. */
  default_judge: z.string().exactOptional(),
  artifacts: z.string(),
  base_branch: z.string(),
  docs_dir: z.string(),
  /** Whether iterations are kept as commits of the workspace. */
  snapshots: z.boolean(),
  /** What the compiler warned of, told when the run begins. */
  warnings: z.array(warning),
  /** Whether the budget counts what calls under way are thought to take; runs begun before that go on without. */
  reserves: z.boolean().exactOptional(),
  /** Whether a call that only those under way keep from beginning waits for them; runs begun before that fail instead. */
  waits: z.boolean().exactOptional(),
  limits: z.strictObject({ usd: z.number().exactOptional(), tokens: z.number().exactOptional() }),
  origin: origin.exactOptional(),
});

/** The comment a person said it in: what it said then, so that a later edit shows. */
const comment = z.strictObject({ id: z.int(), sha256: z.string() });

export type Comment = z.infer<typeof comment>;

export type RunFacts = z.infer<typeof runFacts>;

/** One thing that happened, in the past tense. Written once, never changed. */
export const runEvent = z.discriminatedUnion("type", [
  z.strictObject({
    ...at,
    type: z.literal("run.started"),
    v: z.literal(1),
    plan: planSchema,
    facts: runFacts,
  }),
  z.strictObject({ ...at, type: z.literal("run.resumed"), by: z.string() }),
  z.strictObject({
    ...at,
    type: z.literal("run.paused"),
    stop_reason: z.enum(["gate", "time-limit"]),
  }),
  z.strictObject({
    ...at,
    type: z.literal("run.decided"),
    gate: z.string(),
    decision: z.enum(["approve", "reject"]),
    by: z.string(),
    text: z.string(),
    comment: comment.exactOptional(),
  }),
  z.strictObject({
    ...at,
    type: z.literal("run.messaged"),
    to: z.string(),
    from: z.string(),
    text: z.string(),
    comment: comment.exactOptional(),
  }),
  z.strictObject({
    ...at,
    type: z.literal("run.cancelled"),
    by: z.string(),
    because: z.string(),
    comment: comment.exactOptional(),
  }),
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
    z.strictObject({ ...met, port: z.literal("timer"), answer: answers.timer }),
    z.strictObject({ ...met, port: z.literal("workspace"), answer: answers.workspace }),
  ]),
]);

export type RunEvent = z.infer<typeof runEvent>;
export type RunStarted = Extract<RunEvent, { type: "run.started" }>;

/** The log holds another answer than the plan asks for here: never guessed at. */
export class DivergedLogError extends Error {
  override readonly name = "DivergedLogError";
}

/** Without code made for each form: most logs are short, and of a long one it would save a fifth of the time. */
const readOnce = { jitless: true } as const;

/** Reads one line of a log; throws with a sentence when it is of a newer version or no event at all. */
export function readEvent(line: string): RunEvent {
  const value: unknown = JSON.parse(line);
  const parsed = runEvent.safeParse(value, readOnce);
  if (parsed.success) return parsed.data;
  const version = (value as { v?: unknown } | null)?.v;
  if (typeof version === "number" && version > 1) {
    throw new DivergedLogError(
      `the run was written by a newer until-green (log version ${version}); use that version to go on with it`,
    );
  }
  const [issue] = parsed.error.issues;
  throw new DivergedLogError(
    `the log holds an event this version cannot read (${issue?.path.join(".")}: ${issue?.message}); ` +
      "go on with the run in the version that wrote it",
  );
}
