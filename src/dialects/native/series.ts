import type { Plan } from "../../plan/plan.ts";
import type { Series } from "../../plan/plan-header.ts";
import { defined } from "../../ports/defined.ts";
import { type ParsedFields, parseFields } from "../parse-fields.ts";
import { budgetFields, type documentFields } from "./schema.ts";

type Keys = ParsedFields<typeof documentFields>;

/** Reads the settings of a branch's runs, how long to wait for providers, and model prices. */
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
