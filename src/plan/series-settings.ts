import { z } from "zod";

/** What holds for all runs of a series. */
export const seriesSettings = z.strictObject({
  cooldownMs: z.number().exactOptional(),
  stopAfter: z.int().exactOptional(),
  maxOpen: z.int().exactOptional(),
  gateTimeoutMs: z.number().exactOptional(),
  failureIssue: z.int().exactOptional(),
  dayUsd: z.number().exactOptional(),
  dayTokens: z.int().exactOptional(),
  pullUsd: z.number().exactOptional(),
  personUsd: z.number().exactOptional(),
  untilChecks: z.union([z.literal(true), z.array(z.string())]).exactOptional(),
  untilReviews: z.boolean().exactOptional(),
  title: z.string().exactOptional(),
  body: z.string().exactOptional(),
  commitMessage: z.string().exactOptional(),
});
