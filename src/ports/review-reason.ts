import { z } from "zod";
import type { Infer } from "./infer.ts";

/**
 * Why a person should look at work whose check passes: a protected file that the check needs was changed, or tests no
 * longer run and nothing explains why.
 */
export const reviewReason = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("protected-file"),
    file: z.string(),
    /** The change; absent if it is too long to be kept. */
    patch: z.string().exactOptional(),
  }),
  z.strictObject({
    kind: z.literal("tests"),
    because: z.string(),
    /** Names of the missing tests, if known; at most 50. */
    tests: z.array(z.string()),
  }),
]);

export type ReviewReason = Infer<typeof reviewReason>;
