import { z } from "zod";
import { agentSettings, agentTools } from "../ports/agent.ts";
import type { Infer } from "../ports/infer.ts";
import { json } from "../ports/json.ts";

/** An input of a workflow. */
export const input = z.strictObject({
  /** Without a default the input is required. */
  default: z.string().exactOptional(),
  description: z.string().exactOptional(),
});

export type Input = Infer<typeof input>;

/** A named agent of a workflow. */
export const namedAgent = z.strictObject({
  agent: z.string().exactOptional(),
  model: z.string().exactOptional(),
  instructions: z.string().exactOptional(),
  schema: json.exactOptional(),
  tools: agentTools.exactOptional(),
  settings: agentSettings.exactOptional(),
});

export type NamedAgent = Infer<typeof namedAgent>;

const budgetLimits = z.strictObject({
  usd: z.number().exactOptional(),
  tokens: z.number().exactOptional(),
  minutes: z.number().exactOptional(),
});

export type BudgetLimits = Infer<typeof budgetLimits>;

/** The budget of a whole run, resumes included. Minutes count active time. */
export const budget = budgetLimits.extend({
  /** A notice reports the amounts spent once they reach these thresholds. */
  warnings: z.array(budgetLimits).exactOptional(),
});

export type Budget = Infer<typeof budget>;

/** The limits shared by all runs that publish to one branch, and the text of their pull request. */
export const series = z.strictObject({
  /** Minimum time between two attempts, in milliseconds. */
  cooldownMs: z.number().exactOptional(),
  /**
   * Number of failed attempts in a row after which the series stops until the workflow changes or a person asks for
   * another.
   */
  stopAfter: z.int().exactOptional(),
  /** Maximum number of open pull requests by until-green in the repository. */
  maxOpen: z.int().exactOptional(),
  /** How long a run that waits for a person blocks other runs, in milliseconds. */
  gateTimeoutMs: z.number().exactOptional(),
  /** Number of failed attempts in a row after which an issue is opened. */
  failureIssue: z.int().exactOptional(),
  /** Maximum US dollars and tokens per day, in UTC. */
  dayUsd: z.number().exactOptional(),
  dayTokens: z.int().exactOptional(),
  /** Maximum US dollars for all runs of one pull request. */
  pullUsd: z.number().exactOptional(),
  /** Maximum US dollars per day for the runs that one person starts. */
  personUsd: z.number().exactOptional(),
  /** Names of checks that must pass on the pull request's head; `true` for all. */
  untilChecks: z.union([z.literal(true), z.array(z.string())]).exactOptional(),
  /** True if an approving review is required, and all threads must be resolved. */
  untilReviews: z.boolean().exactOptional(),
  /** True if GitHub must report it as mergeable, including an up-to-date branch if the base requires one. */
  untilMergeable: z.boolean().exactOptional(),
  /** Templates with `{output}`, `{summary}`, `{run}`, `{workflow}` and `{conclusion}`. */
  title: z.string().exactOptional(),
  body: z.string().exactOptional(),
  commitMessage: z.string().exactOptional(),
});

export type Series = Infer<typeof series>;
