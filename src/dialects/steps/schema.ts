import { z } from "zod";
import { json } from "../../ports/json.ts";

/** Whole hours, minutes and seconds in this order: `1h30m`, `45s`; milliseconds after parsing. */
const pattern = /^(?=\d)(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,6})s)?$/;
const meta = { type: "string", pattern: pattern.source } as const;

const time = z.unknown().transform((value, context) => {
  const text = typeof value === "string" ? value : "";
  const [whole, hours = "0", minutes = "0", seconds = "0"] = pattern.exec(text) ?? [];
  if (whole !== undefined) return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  context.issues.push({ code: "custom", message: "must be a duration such as 45s or 1h30m", input: value });
  return z.NEVER;
});

const duration = time.meta(meta);

/** A limit of zero means no limit. */
const limit = time.transform((ms) => ms || undefined).meta(meta);

const count = z.int().min(0);
const texts = z.array(z.string());
const rawMapping = z.record(z.string(), z.unknown());

/** The top-level keys of a file. Values that are read elsewhere are `unknown` here, and in the tables below. */
export const documentFields = {
  name: z.string(),
  description: z.string(),
  version: z.literal(1),
  agents: rawMapping,
  includes: z.record(z.string(), z.string()),
  steps: z.array(z.unknown()).nullable(),
  options: z.unknown(),
};

export const agentFields = {
  description: z.string(),
  prompt: z.string(),
  model: z.string(),
  tools: texts,
  disallowedTools: texts,
  maxTurns: count,
  temperature: z.number().min(0).max(2),
  topP: z.number().min(0).max(1),
  resultSchema: z.record(z.string(), json),
};

export const stepFields = {
  id: z.unknown(),
  agent: z.string(),
  instructions: z.string(),
  dependsOn: texts,
  contextFiles: texts,
  model: z.string(),
  timeout: limit,
  retries: count,
  maxRetries: count,
  condition: z.string(),
  include: z.string(),
  tool: z.string(),
  toolInput: z.record(z.string(), json),
  loop: z.unknown(),
};

export const loopFields = {
  forEach: z.unknown(),
  maxConcurrency: count,
  maxIterations: z.unknown(),
  until: z.string(),
  untilAgent: z.string(),
  delay: duration,
  outputMode: z.enum(["", "last", "cumulative"]),
  steps: z.array(z.unknown()),
};

export const optionFields = {
  maxConcurrency: count,
  onStepFailure: z.enum(["cascade", "skip-dependents", "abort"]),
  timeout: limit,
  stepTimeout: limit,
  isolation: z.string(),
  scheduler: z.enum(["dependency-first", "round-robin", "least-busy"]),
  maxRetries: count,
};

/** Keys whose values are checked but ignored. */
export const withoutEffect = {
  step: ["maxRetries"],
  options: ["isolation", "scheduler", "maxRetries"],
  message: (key: string) => `\`${key}\` has no effect: the agent's program decides that.`,
} as const;
