import { z } from "zod";

const usd = z.number().nonnegative();

/**
 * Prices of one model, in US dollars per million tokens. Cache reads and writes cost as much as other input unless
 * given.
 */
export const modelPrice = z.strictObject({
  input: usd,
  output: usd,
  cache_read: usd.exactOptional(),
  cache_write: usd.exactOptional(),
});

/** Prices by model name. */
export const modelPrices = z.record(z.string(), modelPrice);

export type ModelPrice = z.infer<typeof modelPrice>;
export type ModelPrices = z.infer<typeof modelPrices>;
