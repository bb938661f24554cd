import { z } from "zod";

/** Independent attempts at one loop: the body is a graph with that loop, of the same id. */
export interface Attempts {
  /** The agent of each attempt, in place of the loop's own agent and model. */
  readonly by: readonly AttemptAgent[];
  readonly insteadOf: AttemptAgent;
  /** Ends the others once one is green. */
  readonly firstGreen?: true;
  /** What decides which is the best, most important first; a green one is always better than a red one. */
  readonly pick?: readonly AttemptRule[];
}

export const attemptRules = ["tests", "metric", "smallest-diff", "judge"] as const;
export type AttemptRule = (typeof attemptRules)[number];

export const usualPick: readonly AttemptRule[] = ["tests", "smallest-diff"];

export interface AttemptAgent {
  readonly agent?: string;
  readonly model?: string;
}

/** The agent that takes over once a loop makes no progress. */
export interface Escalation {
  /** After so many iterations without progress, or so many failed runs of the goal. */
  readonly after: number;
  readonly by: AttemptAgent;
  /** The loop's own agent and model. */
  readonly insteadOf: AttemptAgent;
}

const agent = z.strictObject({ agent: z.string().exactOptional(), model: z.string().exactOptional() });

export const escalation: z.ZodType<Escalation> = z.strictObject({
  after: z.int(),
  by: agent,
  insteadOf: agent,
});

export const attempts: z.ZodType<Attempts> = z.strictObject({
  by: z.array(agent),
  insteadOf: agent,
  firstGreen: z.literal(true).exactOptional(),
  pick: z.array(z.enum(attemptRules)).exactOptional(),
});
