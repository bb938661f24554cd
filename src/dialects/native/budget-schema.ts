import { z } from "zod";

const limits = {
  usd: z.number().positive(),
  tokens: z.int().positive(),
  minutes: z.number().positive(),
};

const amounts = z.strictObject({
  usd: limits.usd.exactOptional(),
  tokens: limits.tokens.exactOptional(),
  minutes: limits.minutes.exactOptional(),
});

export const budgetFields = {
  ...limits,
  max_spend_usd: z.number().positive(),
  warn_at: z.union([amounts.transform((one) => [one]), z.array(amounts)]),
  day_usd: z.number().positive(),
  day_tokens: z.int().positive(),
  per_pull_request_usd: z.number().positive(),
  per_person_usd: z.number().positive(),
};
