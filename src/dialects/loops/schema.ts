import { z } from "zod";
import { json } from "../../ports/json.ts";
import { durationField, jsonText, yaml11Boolean } from "../fields.ts";

const duration = durationField("must be a duration over zero, like 30s");

const parameters = z.record(z.string(), jsonText);
const names = z.array(z.string());
const onFailure = z.enum(["halt", "continue", "retry"]);

/** The keys at the top of a file, beside `steps` and `loops`. */
export const documentFields = {
  $schema: z.string(),
  name: z.string(),
  version: z.union([z.string(), z.number()]),
  description: z.string(),
  execution: z.unknown(),
  env: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String)),
};

const provider = { provider: z.string(), model: z.string() };

/** Settings of the model. */
const settings = { temperature: z.number().min(0).max(2), max_tokens: z.int().positive() };

export const executionFields = {
  ...provider,
  ...settings,
  providers: z.array(z.unknown()),
  timeout: duration,
  parallel: yaml11Boolean,
  max_workers: z.int().min(1).max(100),
  on_error: z.enum(["cancel_all", "complete_running", "continue", "halt"]),
};

export const providerFields = provider;

/** Known keys that are ignored with a warning. */
export const ignoredInExecution: ReadonlySet<string> = new Set([
  "servers",
  "skills",
  "max_iterations",
  "logging",
  "no_color",
]);

/** The keys that define what a step does; each step has exactly one. */
export const stepKinds = ["run", "template", "loop", "consensus"] as const;

/** Unsupported keys of steps, with the alternative. */
export const refusedInStep: Readonly<Record<string, string>> = {
  rag: "An agent searches the checkout itself: say so in `run`.",
  embeddings: "An agent searches the checkout itself: say so in `run`.",
  for_each: "Use a loop with `mode: iterate` and `items`.",
};

export const stepFields = {
  ...provider,
  ...settings,
  providers: z.array(z.unknown()),
  name: z.unknown(),
  run: z.string(),
  template: z.unknown(),
  loop: z.unknown(),
  consensus: z.unknown(),
  needs: names,
  if: z.string(),
  on_failure: onFailure,
  max_retries: z.int().min(1).max(100),
  retry_delay: duration,
  timeout: duration,
};

export const ignoredInStep: ReadonlySet<string> = new Set([
  ...ignoredInExecution,
  "parallel",
  "max_workers",
  "execution_order",
  "input",
]);

export const ignoredInConsensus: ReadonlySet<string> = new Set(["allow_partial"]);

/** A question to several agents, and how many must agree. */
export const consensusFields = {
  prompt: z.string().regex(/\S/),
  executions: z.array(z.unknown()),
  require: z.enum(["unanimous", "2/3", "majority"]),
  timeout: duration,
};

/** One of these agents. */
export const executionItemFields = { ...provider, ...settings, timeout: duration };

export const templateFields = { name: z.string(), with: parameters };

export const loopFields = {
  name: z.unknown(),
  needs: names,
  workflow: z.string(),
  with: parameters,
  mode: z.enum(["refine", "iterate"]),
  items: z.union([z.string(), z.array(json)]),
  max_iterations: z.unknown(),
  until: z.string().nullable(),
  on_failure: onFailure,
  max_retries: z.int().min(1).max(100),
  retry_delay: duration,
  accumulate: z.string(),
  parallel: yaml11Boolean,
  max_workers: z.int().min(1).max(100),
  min_success_rate: z.number().min(0).max(1),
  timeout_per_item: duration,
  total_timeout: duration,
};
