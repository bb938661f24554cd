import type { Fault } from "../../plan/diagnostic.ts";
import { note } from "../note.ts";
import { type At, isMapping, shape } from "../shape.ts";
import { executionFields, ignoredInExecution, providerFields } from "./schema.ts";
import type { Execution } from "./sheet.ts";

type Faults = { readonly faults: Fault[] };

const defaultWorkers = 3;

/** Reads `execution`: who does the work, and how many steps at a time. */
export function readExecution(sheet: Faults, value: unknown): Execution {
  if (value === undefined) return { atMost: 1, mayFail: false };
  const at = ["execution"];
  const { faults } = sheet;
  const fields = shape(value, { fields: executionFields, at, faults, ignored: ignoredInExecution });
  const first =
    fields.providers === undefined ? {} : readFirst(sheet, fields.providers, [...at, "providers"]);
  return {
    ...first,
    ...readProvider(sheet, fields, at),
    ...(fields.timeout === undefined ? {} : { timeoutMs: fields.timeout }),
    atMost: fields.parallel ? (fields.max_workers ?? defaultWorkers) : 1,
    mayFail: fields.on_error === "continue",
  };
}

/** The agent and model of a mapping. A provider that is no agent is left to the run, and its model with it. */
export function readProvider(
  sheet: Faults,
  { provider, model }: { readonly provider?: string | undefined; readonly model?: string | undefined },
  at: At,
): Pick<Execution, "agent" | "model"> {
  if (provider === undefined) return model === undefined ? {} : { model };
  const agent = agentOf(provider);
  if (agent !== undefined) return { agent, ...(model === undefined ? {} : { model }) };
  note(sheet, "IGNORED_FIELD", {
    message: `\`${provider}\` is not an agent this runs; the agent of the run answers instead.`,
    at: [...at, "provider"],
    hint: `Known are ${Object.keys(agents).join(", ")}, scripted:FILE and command:PROGRAM.`,
    warning: true,
  });
  return {};
}

const agents: Readonly<Record<string, string>> = {
  claude: "claude",
  anthropic: "claude",
  codex: "codex",
  openai: "codex",
  gemini: "gemini",
  google: "gemini",
  copilot: "copilot",
  opencode: "opencode",
  api: "api",
};

function agentOf(provider: string): string | undefined {
  if (/^(?:scripted|command):./.test(provider)) return provider;
  return Object.hasOwn(agents, provider) ? agents[provider] : undefined;
}

/** The first of several providers that can be asked. */
function readFirst(sheet: Faults, providers: readonly unknown[], at: At): Pick<Execution, "agent" | "model"> {
  for (const [index, value] of providers.entries()) {
    const place = [...at, index];
    const fields = shape(value, { fields: providerFields, at: place, faults: sheet.faults });
    if (!isMapping(value) || fields.provider === undefined) continue;
    if (agentOf(fields.provider) !== undefined || index === providers.length - 1)
      return readProvider(sheet, fields, place);
  }
  return {};
}
