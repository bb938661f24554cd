import type { Budget, Input, NamedAgent } from "../../plan/plan.ts";
import { defined } from "../../ports/defined.ts";
import { parseFields, type SourcePath } from "../parse-fields.ts";
import { reportFault } from "../report-fault.ts";
import { checkAgent } from "./agent-names.ts";
import { agentDefaults } from "./agent-settings.ts";
import { ignoredInBudget } from "./ignored-keys.ts";
import type { ReaderContext } from "./reader-context.ts";
import { agentFields, budgetFields, inputFields } from "./schema.ts";

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
        reportFault({ faults }, "BAD_VALUE", { message, at, onKey: true });
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
