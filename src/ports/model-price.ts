import { z } from "zod";

const usd = z.number().nonnegative();

/** Prices of one model, in US dollars for a million tokens. Input read from a cache or written to it costs as other input unless given. */
export const modelPrice = z.strictObject({
  input: usd,
  output: usd,
  cache_read: usd.exactOptional(),
  cache_write: usd.exactOptional(),
});

/** Prices by the model's name. */
export const modelPrices = z.record(z.string(), modelPrice);

export type ModelPrice = z.infer<typeof modelPrice>;
export type ModelPrices = z.infer<typeof modelPrices>;
