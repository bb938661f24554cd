import { z } from "zod";
import { attemptRules } from "../../plan/attempts.ts";

export const retryFields = {
  max_attempts: z.int().min(1).max(5),
  delay_ms: z.int().min(1000).max(60_000),
  on_error: z.enum(["transient", "all"]),
};

const several = z.int().min(2).max(20);
const names = z.array(z.string());
const fields = {
  count: several,
  agents: names,
  models: names,
  first_green: z.boolean(),
  pick: z.array(z.enum(["green", ...attemptRules])),
};

/** How many attempts are made at a loop, and by which agents. */
export const attemptsField = z.union([several, z.strictObject(fields).partial()]);

/** The agent that takes over when a loop makes no progress. */
export const escalateField = z
  .strictObject({ after: z.int().min(1).max(1000), agent: z.string(), model: z.string() })
  .partial();
