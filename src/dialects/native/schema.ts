import { z } from "zod";
import { durationMeta, parseDuration } from "../../expr/duration.ts";
import { json } from "../../ports/json.ts";

/** A duration over zero, in milliseconds once read. */
const duration = z
  .unknown()
  .transform((value, context) => {
    const ms = typeof value === "number" || typeof value === "string" ? parseDuration(value) : undefined;
    if (ms !== undefined && ms > 0) return ms;
    context.issues.push({
      code: "custom",
      message: "must be a duration over zero: milliseconds, or text like 10m",
      input: value,
    });
    return z.NEVER;
  })
  .meta(durationMeta);

/** A value given to an input: text once read. */
const given = z.union([z.string(), z.number(), z.boolean()]).transform(String);

/** Text, or nothing at all: told apart from other values, as the code for a blank one is another. */
const blankable = z.string().nullable();

const texts = z.array(z.string());
const rawList = z.array(z.unknown());
const rawMapping = z.record(z.string(), z.unknown());

/** The keys at the top of a native file. Values read further on are `unknown` here. */
export const documentFields = {
  name: z.string(),
  description: z.string(),
  interactive: z.boolean(),
  agent: z.string(),
  provider: z.string(),
  model: z.string(),
  agents: rawMapping,
  inputs: rawMapping,
  budget: z.unknown(),
  max_concurrency: z.int().min(1).max(1000),
  time_limit: duration,
  nodes: rawList.nullable(),
};

export const agentFields = {
  agent: z.string(),
  provider: z.string(),
  model: z.string(),
  instructions: z.string(),
  result_schema: z.record(z.string(), json),
};

export const inputFields = { default: given, description: z.string(), required: z.boolean() };

export const budgetFields = {
  usd: z.number().positive(),
  tokens: z.int().positive(),
  minutes: z.number().positive(),
};

/** The keys that say what a node is; each node has exactly one. */
export const kindKeys = [
  "prompt",
  "command",
  "bash",
  "script",
  "loop",
  "loop_group",
  "approval",
  "cancel",
  "workflow",
] as const;

export const nodeFields = {
  id: z.unknown(),
  description: z.string(),
  depends_on: texts,
  when: z.string(),
  trigger_rule: z.enum([
    "all_success",
    "one_success",
    "none_failed",
    "none_failed_min_one_success",
    "all_done",
  ]),
  idle_timeout: duration,
  timeout: duration,
  retry: z.unknown(),
  agent: z.string(),
  provider: z.string(),
  model: z.string(),
  output_format: z.record(z.string(), json),
  output_required: z.boolean(),
  message: z.string(),
  with: z.record(z.string(), given),
  runtime: z.enum(["bun", "uv", "node", "python"]),
  deps: texts,
  prompt: z.string(),
  command: z.string(),
  bash: z.string(),
  script: z.string(),
  loop: z.unknown(),
  loop_group: z.unknown(),
  approval: z.unknown(),
  cancel: z.string(),
  workflow: z.string(),
};

export const retryFields = {
  max_attempts: z.int().min(1).max(5),
  delay_ms: z.int().min(1000).max(60_000),
  on_error: z.enum(["transient", "all"]),
};

export const approvalFields = { message: z.string(), capture_response: z.boolean(), on_reject: z.unknown() };

export const onRejectFields = { prompt: z.string(), max_attempts: z.int().min(1).max(10) };

export const loopFields = {
  prompt: z.string(),
  command: z.string(),
  nodes: rawList,
  workflow: z.string(),
  with: z.record(z.string(), given),
  message: z.string(),
  until: blankable,
  until_form: z.enum(["tag", "any"]),
  fail_until: blankable,
  until_bash: blankable,
  until_field: blankable,
  until_expr: blankable,
  until_agent: blankable,
  until_condition: blankable,
  until_mode: z.enum(["any", "all"]),
  no_verdict: z.enum(["fail", "continue"]),
  judge_sees: z.enum(["last", "all"]),
  max_iterations: z.unknown(),
  on_max: z.enum(["fail", "succeed"]),
  on_error: z.enum(["fail", "continue", "forget", "retry"]),
  retries: z.int().min(1).max(100),
  retry_delay: duration,
  fresh_context: z.boolean(),
  interactive: z.boolean(),
  gate_message: blankable,
  signal_completes: z.boolean(),
  for_each: z.unknown(),
  max_concurrency: z.int().min(1).max(1000),
  isolation: z.enum(["shared", "worktree"]),
  delay: duration,
  time_limit: duration,
  restarts: z.int().min(1).max(20),
  restart_delay: duration,
  output: z.enum(["last", "cumulative", "transcript"]),
  accumulate: z.string(),
  check: z.unknown(),
  protect: z.array(z.string().min(1)),
  no_progress: z.int().min(1).max(10_000),
  keep: z.enum(["last", "best"]),
  metric: z.string(),
  direction: z.enum(["min", "max"]),
};

export const checkFields = {
  timeout: duration,
  retries: z.int().min(0).max(10),
  baseline: z.boolean(),
};

/** Archon's keys that change nothing here; let pass with a warning. */
export const ignoredInDocument: ReadonlySet<string> = new Set([
  "effort",
  "thinking",
  "fallbackModel",
  "betas",
  "sandbox",
  "worktree",
  "container",
  "tags",
  "requires",
  "returns",
  "outcome_field",
  "evidence_policy",
  "persist_sessions",
  "mutates_checkout",
  "version",
]);

export const ignoredInNode: ReadonlySet<string> = new Set([
  "context",
  "hooks",
  "mcp",
  "skills",
  "agents",
  "allowed_tools",
  "denied_tools",
  "always_run",
  "output_type",
  "effort",
  "thinking",
  "fallbackModel",
  "betas",
  "sandbox",
  "systemPrompt",
  "maxBudgetUsd",
  "persist_session",
]);
