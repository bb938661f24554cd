import type { Fault } from "../../plan/diagnostic.ts";
import type { AgentSettings } from "../../ports/agent.ts";
import { defined } from "../../ports/defined.ts";
import { agentBehind, type Files } from "../dialect.ts";
import { isMapping, type ParsedFields, parseFields, type SourcePath } from "../parse-fields.ts";
import { warnOfProvider } from "../report-fault.ts";
import type { Execution } from "./reader-context.ts";
import { executionFields, type executionItemFields, ignoredInExecution, providerFields } from "./schema.ts";

type Faults = { readonly faults: Fault[]; readonly files: Pick<Files, "agents"> };

const defaultWorkers = 3;

/** Reads `execution`: which agent does the work, and how many steps run in parallel. */
export function readExecution(reader: Faults, value: unknown): Execution {
  if (value === undefined) return { atMost: 1, mayFail: false };
  const at = ["execution"];
  const { faults } = reader;
  const fields = parseFields(value, { fields: executionFields, at, faults, ignored: ignoredInExecution });
  const settings = settingsOf(fields);
  return {
    ...readProvider(reader, fields, at),
    ...(Object.keys(settings).length === 0 ? {} : { settings }),
    ...(fields.timeout === undefined ? {} : { timeoutMs: fields.timeout }),
    atMost: fields.parallel ? (fields.max_workers ?? defaultWorkers) : 1,
    mayFail: fields.on_error === "continue",
  };
}

/** The settings of a model that a mapping gives. */
export const settingsOf = ({
  temperature,
  max_tokens: maxTokens,
}: Pick<ParsedFields<typeof executionItemFields>, "temperature" | "max_tokens">): AgentSettings =>
  defined({ temperature, maxTokens });

interface WithProvider {
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly providers?: readonly unknown[] | undefined;
}

/** The agent and model of a mapping. For an unknown provider, the run's default agent and model are used. */
export function readProvider(
  reader: Faults,
  { provider, model, providers }: WithProvider,
  at: SourcePath,
): Pick<Execution, "agent" | "model"> {
  const first = providers === undefined ? {} : readFirst(reader, providers, [...at, "providers"]);
  if (provider === undefined) return { ...first, ...defined({ model }) };
  const agent = agentBehind(provider, reader.files);
  if (agent !== undefined) return { agent, ...defined({ model }) };
  warnOfProvider(reader, provider, [...at, "provider"]);
  return {};
}

/** The first of several providers that is available. */
function readFirst(
  reader: Faults,
  providers: readonly unknown[],
  at: SourcePath,
): Pick<Execution, "agent" | "model"> {
  for (const [index, value] of providers.entries()) {
    const place = [...at, index];
    const fields = parseFields(value, { fields: providerFields, at: place, faults: reader.faults });
    if (!isMapping(value) || fields.provider === undefined) continue;
    if (agentBehind(fields.provider, reader.files) !== undefined || index === providers.length - 1)
      return readProvider(reader, fields, place);
  }
  return {};
}
