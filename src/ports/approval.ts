import { z } from "zod";

/** A question for a person. No adapter answers it: a recorded decision does. */
export interface HumanRequest {
  /** The node whose gate it is. */
  readonly node: string;
  /** The gate's full text, as people read it. */
  readonly message: string;
}

export const humanAnswer = z.strictObject({
  decision: z.enum(["approve", "reject"]),
  by: z.string(),
  /** The comment with the decision; empty if there was none. */
  text: z.string(),
  /** How long it was waited for. */
  waitedMs: z.number().exactOptional(),
});

export type HumanAnswer = z.infer<typeof humanAnswer>;
