import { z } from "zod";
import type { Infer } from "./infer.ts";

/** Amounts in USD and tokens, input plus output. */
export interface BudgetAmount {
  readonly usd: number;
  readonly tokens: number;
}

/** Claims more of the budget that the jobs of a fan-out share. */
export interface BudgetRequest {
  readonly spent: BudgetAmount;
  /** The expected cost of the next call. */
  readonly need: BudgetAmount;
}

/** The run's total budget from now on; a unit without a limit is unlimited. */
export const budgetAnswer = z.strictObject({
  usd: z.number().exactOptional(),
  tokens: z.number().exactOptional(),
});

export type BudgetAnswer = Infer<typeof budgetAnswer>;
