import { z } from "zod";

/** A delay the run asked for, in milliseconds. */
export interface TimerRequest {
  readonly ms: number;
}

export const timerAnswer = z.strictObject({ waited: z.number() });

export type TimerAnswer = z.infer<typeof timerAnswer>;
