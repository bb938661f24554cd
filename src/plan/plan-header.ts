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

/** An agent that a workflow gives a name of its own. */
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
  /** Amounts at which a notice says once what is spent. */
  warnings: z.array(budgetLimits).exactOptional(),
});

export type Budget = Infer<typeof budget>;

/** What the runs that publish to one branch are allowed together, and what their pull request says. */
export const series = z.strictObject({
  /** The least time between two attempts, in milliseconds. */
  cooldownMs: z.number().exactOptional(),
  /** So many failed attempts in a row end the series until the workflow changes or a person asks. */
  stopAfter: z.int().exactOptional(),
  /** So many pull requests of until-green may be open in the repository. */
  maxOpen: z.int().exactOptional(),
  /** How long a run that waits for a person keeps the others waiting, in milliseconds. */
  gateTimeoutMs: z.number().exactOptional(),
  /** So many failed attempts in a row are reported in an issue. */
  failureIssue: z.int().exactOptional(),
  /** US dollars and tokens a day, in UTC. */
  dayUsd: z.number().exactOptional(),
  dayTokens: z.int().exactOptional(),
  /** US dollars for all runs of one pull request. */
  pullUsd: z.number().exactOptional(),
  /** US dollars a day for the runs that one person starts. */
  personUsd: z.number().exactOptional(),
  /** Checks of the pull request's head that must pass, by their names; `true` for all. */
  untilChecks: z.union([z.literal(true), z.array(z.string())]).exactOptional(),
  /** Whether an approving review is needed, and no unresolved thread. */
  untilReviews: z.boolean().exactOptional(),
  /** Whether GitHub must say that it can be merged: its branch is up to date where the base requires that. */
  untilMergeable: z.boolean().exactOptional(),
  /** Templates with `{output}`, `{summary}`, `{run}`, `{workflow}` and `{conclusion}`. */
  title: z.string().exactOptional(),
  body: z.string().exactOptional(),
  commitMessage: z.string().exactOptional(),
});

export type Series = Infer<typeof series>;
