import type { Plan } from "../../plan/plan.ts";
import type { Series } from "../../plan/plan-header.ts";
import { defined } from "../../ports/defined.ts";
import type { ModelPrices } from "../../ports/model-price.ts";
import { parseFields } from "../parse-fields.ts";
import { budgetFields } from "./schema.ts";

interface Keys {
  readonly budget?: unknown;
  readonly patience?: number | undefined;
  readonly prices?: ModelPrices | undefined;
  readonly cooldown?: number | undefined;
  readonly stop_after?: number | undefined;
  readonly max_open?: number | undefined;
  readonly gate_timeout?: number | undefined;
  readonly failure_issue?: number | undefined;
  readonly until_checks?: true | readonly string[] | undefined;
  readonly until_reviews?: boolean | undefined;
  readonly until_mergeable?: boolean | undefined;
  readonly title?: string | undefined;
  readonly body?: string | undefined;
  readonly commit_message?: string | undefined;
}

/**
 * Reads the settings shared by all runs that publish to one branch, how long to wait for providers, and model prices.
 */
export function readSeries(keys: Keys): Pick<Plan, "series" | "patienceMs" | "prices"> {
  // Its faults are reported when the run's own budget is read.
  const caps =
    keys.budget === undefined ? {} : parseFields(keys.budget, { fields: budgetFields, at: [], faults: [] });
  const series: Record<keyof Series, Series[keyof Series]> = {
    cooldownMs: keys.cooldown,
    stopAfter: keys.stop_after,
    maxOpen: keys.max_open,
    gateTimeoutMs: keys.gate_timeout,
    failureIssue: keys.failure_issue,
    dayUsd: caps.day_usd,
    dayTokens: caps.day_tokens,
    pullUsd: caps.per_pull_request_usd,
    personUsd: caps.per_person_usd,
    untilChecks: keys.until_checks,
    untilReviews: keys.until_reviews,
    untilMergeable: keys.until_mergeable,
    title: keys.title,
    body: keys.body,
    commitMessage: keys.commit_message,
  };
  const settings = Object.entries(series).filter(([, value]) => value !== undefined);
  return {
    ...defined({ patienceMs: keys.patience, prices: keys.prices }),
    ...(settings.length === 0 ? {} : { series: Object.fromEntries(settings) as Series }),
  };
}
