import { z } from "zod";
import type { Infer } from "../ports/infer.ts";

export const attemptRules = ["tests", "metric", "smallest-diff", "judge"] as const;
export type AttemptRule = (typeof attemptRules)[number];

export const usualPick: readonly AttemptRule[] = ["tests", "smallest-diff"];

const agent = z.strictObject({ agent: z.string().exactOptional(), model: z.string().exactOptional() });

export type AttemptAgent = Infer<typeof agent>;

/** The agent that takes over when a loop makes no progress. */
export const escalation = z.strictObject({
  /** After this many iterations without progress, or this many failed runs of the goal. */
  after: z.int(),
  by: agent,
  /** The loop's own agent and model. */
  insteadOf: agent,
});

export type Escalation = Infer<typeof escalation>;

/** The agent that answers a call instead of its own after its provider has failed this often in a row. */
export const fallback = z.strictObject({ after: z.int(), by: agent });

export type Fallback = Infer<typeof fallback>;

/** Independent attempts at one loop. The body is a graph that contains only that loop, with the same id. */
export const attempts = z.strictObject({
  /** The agent of each attempt; replaces the loop's own agent and model. */
  by: z.array(agent),
  insteadOf: agent,
  /** Ends the other attempts once one is green. */
  firstGreen: z.literal(true).exactOptional(),
  /**
   * The rules that decide which attempt is best, most important first. A green attempt is always better than a red
   * one.
   */
  pick: z.array(z.enum(attemptRules)).exactOptional(),
});

export type Attempts = Infer<typeof attempts>;
