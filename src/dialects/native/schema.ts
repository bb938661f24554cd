import { z } from "zod";
import { isolationModes } from "../../ports/isolation.ts";
import { json } from "../../ports/json.ts";
import { modelPrices } from "../../ports/model-price.ts";
import { stopKeys } from "../../stops/index.ts";
import { durationField, jsonText } from "../fields.ts";
import { attemptsField, escalateField, extraFields } from "./inner-schemas.ts";
import { placeFields, wallFields } from "./walls.ts";

export {
  approvalFields,
  budgetFields,
  extraFields,
  onRejectFields,
  retryFields,
  waitFields,
} from "./inner-schemas.ts";

const duration = durationField("must be a duration over zero: milliseconds, or text like 10m");

const texts = z.array(z.string());
const progress = z.int().min(1).max(10_000);
const rawList = z.array(z.unknown());
const rawMapping = z.record(z.string(), z.unknown());

/** What an agent may use. */
export const toolFields = {
  allowed_tools: texts,
  denied_tools: texts,
  tools: z.literal("advisory"),
};

/** Settings of models and agent programs; camelCase names are those of Claude and Codex. */
export const settingFields = {
  effort: z.string(),
  modelReasoningEffort: z.string(),
  max_turns: z.int().positive(),
  temperature: z.number().min(0).max(2),
  top_p: z.number().min(0).max(1),
  max_tokens: z.int().positive(),
  thinking: json,
  fallbackModel: z.string().min(1),
  betas: z.array(z.string().min(1)),
  webSearchMode: z.string(),
  maxBudgetUsd: z.number().positive(),
  agent_args: texts,
};

/** The top-level keys of a native file. Values that are read elsewhere are `unknown` here. */
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
  prices: modelPrices,
  max_concurrency: z.int().min(1).max(1000),
  time_limit: duration,
  patience: duration,
  fallback_agent: z.string(),
  fallback_model: z.string(),
  fallback_after: z.int().min(1).max(1000),
  cooldown: duration,
  stop_after: z.int().min(1),
  max_open: z.int().min(1),
  gate_timeout: duration,
  failure_issue: z.int().min(1),
  until_checks: z.union([z.literal(true), texts]),
  until_reviews: z.boolean(),
  until_mergeable: z.boolean(),
  title: z.string(),
  body: z.string(),
  commit_message: z.string(),
  ...wallFields,
  ...placeFields,
  nodes: rawList.nullable(),
  returns: z.string(),
  outcome_field: z.string().min(1),
  evidence_policy: z.strictObject({ required: z.boolean() }),
  ...toolFields,
  ...settingFields,
};

export const agentFields = {
  agent: z.string(),
  provider: z.string(),
  model: z.string(),
  instructions: z.string(),
  result_schema: z.record(z.string(), json),
  ...toolFields,
  ...settingFields,
};

export const inputFields = { default: jsonText, description: z.string(), required: z.boolean() };

/** The keys that define the kind of a node; each node has exactly one. */
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
  "include",
  "wait",
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
  on_timeout: z.enum(["fail", "skip"]),
  mutates_checkout: z.boolean(),
  retry: z.unknown(),
  agent: z.string(),
  provider: z.string(),
  model: z.string(),
  output_format: z.record(z.string(), json),
  output_required: z.boolean(),
  systemPrompt: z.string(),
  context: z.union([z.enum(["fresh", "shared"]), z.strictObject({ resume: z.string() })]),
  network: wallFields.network,
  ...toolFields,
  ...settingFields,
  ...extraFields,
  message: z.string(),
  input: z.string(),
  with: z.record(z.string(), jsonText),
  fan_out: z.unknown(),
  isolation: z.enum([...isolationModes, "inherit", "worktree"]),
  runtime: z.enum(["bun", "uv", "node", "python"]),
  deps: texts,
  prompt: z.string(),
  command: z.string(),
  bash: z.string(),
  script: z.string(),
  include: z.string(),
  loop: z.unknown(),
  loop_group: z.unknown(),
  approval: z.unknown(),
  cancel: z.string(),
  wait: z.unknown(),
  workflow: z.string(),
};

export const fanOutFields = {
  items: z.string(),
  as: z.string(),
  max_parallel: z.int().min(1).max(1000),
  join: z.enum(["all_done", "all_success"]),
};

/** Or nothing: a blank value has another diagnostic code than one of another type. */
const stopFields: object = Object.fromEntries(stopKeys.map(({ name, holds }) => [name, holds.nullable()]));

export const loopFields = {
  prompt: z.string(),
  command: z.string(),
  nodes: rawList,
  workflow: z.string(),
  with: z.record(z.string(), jsonText),
  message: z.string(),
  ...stopFields,
  until_form: z.enum(["tag", "any"]),
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
  gate_message: z.string().nullable(),
  signal_completes: z.boolean(),
  for_each: z.unknown(),
  max_concurrency: z.int().min(1).max(1000),
  isolation: z.enum(["shared", "worktree"]),
  spread: z.literal("jobs"),
  batch: z.int().min(1).max(1000),
  max_parallel: z.int().min(1).max(256),
  attempts: attemptsField,
  escalate: escalateField,
  delay: duration,
  time_limit: duration,
  restarts: z.int().min(1).max(20),
  restart_delay: duration,
  output: z.enum(["last", "cumulative", "transcript"]),
  accumulate: z.string(),
  check: z.unknown(),
  protect: z.array(z.string().min(1)),
  allow: z.array(z.string().min(1)),
  on_protected_change: z.enum(["restore", "gate"]),
  review: z.boolean(),
  no_progress: z.union([
    progress,
    z.strictObject({ same_failure: progress.exactOptional(), no_change: progress.exactOptional() }),
  ]),
  keep: z.enum(["last", "best"]),
  metric: z.string(),
  direction: z.enum(["min", "max"]),
};

export const checkFields = {
  timeout: duration,
  retries: z.int().min(0).max(10),
  baseline: z.boolean(),
  tests: z.enum(["keep", "review", "any"]),
  protected: z.enum(["refuse", "review", "allow"]),
  confirm: z.int().min(1).max(20),
  stress: z.int().min(2).max(1000),
  clean: z.union([z.boolean(), z.enum(["on", "off"])]),
  setup: z.string(),
  ...wallFields,
};
