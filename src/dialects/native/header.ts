import type { Fallback } from "../../plan/attempts.ts";
import type { Budget, Graph, Input, NamedAgent, Plan } from "../../plan/plan.ts";
import type { Series } from "../../plan/plan-header.ts";
import { defined } from "../../ports/defined.ts";
import { isMapping, type ParsedFields, parseFields, type SourcePath } from "../parse-fields.ts";
import { reportFault } from "../report-fault.ts";
import { checkAgent } from "./agent-names.ts";
import { agentDefaults } from "./agent-settings.ts";
import { ignoredInBudget } from "./ignored-keys.ts";
import type { ReaderContext } from "./reader-context.ts";
import { agentFields, budgetFields, type documentFields, inputFields } from "./schema.ts";
import { checkSettings } from "./setting-words.ts";

type Keys = ParsedFields<typeof documentFields>;
type Faults = Pick<ReaderContext, "faults">;
type Naming = Pick<ReaderContext, "faults" | "files">;
type Mapping = Readonly<Record<string, unknown>>;

/** Reads `inputs`: what a caller may give, by name. */
export function readInputs({ faults }: Faults, inputs: Mapping): Readonly<Record<string, Input>> {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => {
      const at = ["inputs", name];
      if (!/^[A-Za-z_][\w-]*$/.test(name)) {
        const message = `\`${name}\` cannot be the name of an input.`;
        const hint = "A name is a letter or _, then letters, digits, _ and -.";
        reportFault({ faults }, "BAD_VALUE", { message, at, onKey: true, hint });
      }
      const fields = value === null ? {} : parseFields(value, { fields: inputFields, at, faults });
      const fallback = fields.default ?? (fields.required === false ? "" : undefined);
      const input: Input = defined({ default: fallback, description: fields.description });
      return [name, input];
    }),
  );
}

/** Reads `agents`: named agents with their model and instructions. */
export function readNamedAgents(reader: Naming, agents: Mapping): ReadonlyMap<string, NamedAgent> {
  return new Map(
    Object.entries(agents).map(([name, value]) => [name, readNamedAgent(reader, { name, value })]),
  );
}

function readNamedAgent(
  { faults, files }: Naming,
  { name, value }: { name: string; value: unknown },
): NamedAgent {
  const at: SourcePath = ["agents", name];
  const fields = value === null ? {} : parseFields(value, { fields: agentFields, at, faults });
  const agent = fields.agent ?? fields.provider;
  const key = fields.agent === undefined ? "provider" : "agent";
  if (agent !== undefined) checkAgent({ faults, files, agents: new Map() }, agent, [...at, key]);
  checkSettings({ faults }, fields, at);
  return {
    ...defined({
      agent,
      model: fields.model,
      instructions: fields.instructions,
      schema: fields.result_schema,
    }),
    ...agentDefaults(fields),
  };
}

/** Reads `budget`: the limits of the whole run. */
export function readBudget({ faults }: Faults, value: unknown): Budget {
  const options = { fields: budgetFields, at: ["budget"], faults, ignored: ignoredInBudget };
  const { max_spend_usd, usd = max_spend_usd, tokens, minutes, warn_at } = parseFields(value, options);
  return defined({ usd, tokens, minutes, warnings: warn_at });
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

/** Who answers calls while the provider of their own agent fails. */
export function readFallback(reader: ReaderContext, keys: Keys): { readonly fallback?: Fallback } {
  const { fallback_agent: agent, fallback_model: model, fallback_after: after } = keys;
  if (agent === undefined && model === undefined) {
    const message = "`fallback_after` needs a `fallback_agent`, a `fallback_model`, or both.";
    if (after !== undefined)
      reportFault(reader, "BAD_VALUE", {
        message,
        at: ["fallback_after"],
        hint: "Add one of them, or remove `fallback_after`.",
      });
    return {};
  }
  if (agent !== undefined) checkAgent(reader, agent, ["fallback_agent"]);
  const own = agent === undefined ? undefined : reader.agents.get(agent);
  const by = { agent: own === undefined ? agent : own.agent, model: model ?? own?.model };
  return { fallback: { after: after ?? 3, by: defined(by) } };
}

interface Declared {
  readonly fields: Keys;
  readonly graph: Graph;
  readonly nodes: readonly unknown[];
}

/** The field of the workflow's result that reports whether its work succeeded; the answer must always have it. */
export function readOutcome(
  reader: ReaderContext,
  { fields: { outcome_field: field, returns }, graph, nodes }: Declared,
): Pick<Plan, "outcome"> {
  const node = typeof graph.output === "object" ? graph.output.node : undefined;
  if (field === undefined || (returns !== undefined && node === undefined)) return {};
  const at = ["outcome_field"];
  if (node === undefined) {
    const hint = "Write `returns: ID`, the node whose result has the field.";
    reportFault(reader, "BAD_VALUE", { message: "`outcome_field` needs `returns`.", at, hint });
    return {};
  }
  if (!nodes.some((it) => isMapping(it) && it["id"] === node && alwaysSays(it["output_format"], field))) {
    const message = `The \`output_format\` of \`${node}\` does not require a boolean \`${field}\`.`;
    const hint = `Declare it as \`${field}: { type: boolean }\`, and list it under \`required\`.`;
    reportFault(reader, "BAD_VALUE", { message, at, hint });
    return {};
  }
  return { outcome: { node, field } };
}

function alwaysSays(schema: unknown, field: string): boolean {
  if (!isMapping(schema) || !isMapping(schema["properties"]) || !Array.isArray(schema["required"]))
    return false;
  const { properties, required } = schema;
  const declared = Object.hasOwn(properties, field) ? properties[field] : undefined;
  return isMapping(declared) && declared["type"] === "boolean" && required.includes(field);
}
