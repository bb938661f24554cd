import { z } from "zod";
import { yaml11Boolean } from "../fields.ts";

const texts = z.array(z.string());
const optionalText = z.string().nullable();
/** A value, or null as if the key were not there. */
const optional = <T extends z.ZodType>(value: T) => value.nullable().transform((it) => it ?? undefined);
const seconds = (least: number, most: number) =>
  z
    .number()
    .min(least)
    .max(most)
    .transform((value) => value * 1000);

/** How blocks may be called, and the exits of a dispatch. */
export const idPattern = /^[A-Za-z_][\w-]{0,99}$/;

/** The top-level keys of a file. Values that are read elsewhere are `unknown` here, and in the tables below. */
export const documentFields = {
  version: z.unknown(),
  id: z.unknown(),
  kind: z.literal("workflow"),
  workflow: z.unknown(),
  blocks: z.unknown(),
  souls: z.record(z.string(), z.unknown()).nullable(),
  tools: texts.nullable(),
  enabled: yaml11Boolean,
  config: z.unknown(),
  interface: z.unknown(),
  inputs: z.record(z.string(), z.unknown()).nullable(),
  limits: z.unknown(),
  eval: z.unknown(),
};

export const workflowFields = {
  name: z.unknown(),
  description: z.string(),
  entry: z.unknown(),
  transitions: z.array(z.unknown()).nullable(),
  conditional_transitions: z.array(z.unknown()).nullable(),
};

export const transitionFields = { from: z.string(), to: optionalText };

export const soulFields = {
  id: z.string(),
  kind: z.literal("soul"),
  name: z.string(),
  role: z.string(),
  system_prompt: z.string(),
  provider: optionalText,
  model_name: optionalText,
  tools: texts.nullable(),
  required_tool_calls: texts.nullable(),
  max_tool_iterations: z.int().nullable(),
  temperature: z.number().nullable(),
  max_tokens: z.int().nullable(),
  modified_at: z.unknown(),
  assertions: z.unknown(),
};

/** Keys that are known but ignored: agent programs decide these, or people see them elsewhere. */
export const withoutEffect = {
  document: ["tools", "enabled", "config", "eval"],
  soul: ["required_tool_calls"],
  block: ["assertions", "stall_thresholds", "max_depth"],
  blockLimits: ["cost_cap_usd", "token_cap"],
} as const;

/** Default time limit of a block, in milliseconds. */
export const usualTimeoutMs = {
  linear: 300_000,
  gate: 300_000,
  synthesize: 300_000,
  dispatch: 300_000,
  code: 30_000,
  loop: Infinity,
  workflow: Infinity,
} as const;

const common = {
  type: z.unknown(),
  stateful: yaml11Boolean,
  depends: optional(z.unknown()),
  error_route: optional(z.string()),
  inputs: z.record(z.string(), z.unknown()).nullable(),
  outputs: z.record(z.string(), z.unknown()).nullable(),
  exits: z.array(z.unknown()).nullable(),
  exit_conditions: z.array(z.unknown()).nullable(),
  output_conditions: z.array(z.unknown()).nullable(),
  routes: z.array(z.unknown()).nullable(),
  retry_config: z.unknown(),
  timeout_seconds: seconds(1, 3600),
  limits: z.unknown(),
  assertions: z.unknown(),
  stall_thresholds: z.unknown(),
};

/** The keys of each type of block. */
export const blockFields = {
  linear: { ...common, soul_ref: z.string() },
  gate: {
    ...common,
    soul_ref: z.string(),
    eval_key: z.string(),
    extract_field: optional(z.string()),
    pass: z.string(),
    fail: z.string(),
  },
  code: {
    ...common,
    code: z.string(),
    language: z.enum(["python", "javascript"]),
    allowed_imports: optional(texts),
  },
  loop: {
    ...common,
    inner_block_refs: z.array(z.string()),
    max_rounds: z.unknown(),
    break_condition: z.unknown(),
    carry_context: z.unknown(),
    break_on_exit: optionalText,
    retry_on_exit: optionalText,
  },
  workflow: {
    ...common,
    workflow_ref: z.string(),
    max_depth: optional(z.int().min(1)),
    on_error: z.enum(["raise", "catch"]),
  },
  dispatch: common,
  synthesize: { ...common, soul_ref: z.string(), input_block_ids: z.array(z.string()) },
} as const;

export type BlockType = keyof typeof blockFields;

/** Every key of any type of block. */
export const anyBlockFields = {
  ...blockFields.linear,
  ...blockFields.gate,
  ...blockFields.code,
  ...blockFields.loop,
  ...blockFields.workflow,
  ...blockFields.synthesize,
};

export const carryFields = {
  enabled: yaml11Boolean,
  mode: z.enum(["last", "all"]),
  source_blocks: texts.nullable(),
  inject_as: z.string().regex(/\S/),
};

export const conditionFields = { eval_key: z.string(), operator: z.unknown(), value: z.json() };

export const groupFields = { combinator: z.unknown(), conditions: z.array(z.unknown()) };

export const exitFields = { id: z.string(), label: z.string() };

/** The exits of a dispatch block are its branches. */
export const branchFields = { ...exitFields, soul_ref: z.string(), task: z.string() };

export const exitConditionFields = {
  contains: optionalText,
  regex: optionalText,
  exit_handle: z.string().min(1),
};

export const outputConditionFields = {
  case_id: z.string().min(1),
  condition_group: optional(z.unknown()),
  default: yaml11Boolean,
};

export const routeFields = {
  case: z.string().min(1),
  when: optional(z.unknown()),
  goto: optionalText,
  default: yaml11Boolean,
};

export const retryFields = {
  max_attempts: z.int().min(1).max(20),
  backoff: z.enum(["fixed", "exponential"]),
  backoff_base_seconds: seconds(0.1, 60),
  non_retryable_errors: optional(texts),
};

export const blockLimitFields = {
  max_duration_seconds: optional(z.int().min(1).max(86_400)),
  cost_cap_usd: optional(z.number().min(0)),
  token_cap: optional(z.int().min(1)),
  on_exceed: z.enum(["warn", "fail"]),
};

export const limitFields = { ...blockLimitFields, warn_at_pct: z.number().min(0).max(1) };

export const interfaceFields = { inputs: z.array(z.unknown()).nullable(), outputs: z.unknown() };

/** An input of a workflow. */
export const inputFields = {
  type: z.string(),
  required: yaml11Boolean,
  default: z.json(),
  description: optionalText,
  sensitive: yaml11Boolean,
};

export const interfaceInputFields = { ...inputFields, name: z.string(), target: z.string() };
