import type { NamedAgent } from "../../plan/plan.ts";
import { agentBehind, type Files } from "../dialect.ts";
import { isMapping, type ParsedFields, parseFields, type SourcePath } from "../parse-fields.ts";
import { reportFault, warnOfKeys, warnOfProvider } from "../report-fault.ts";
import { didYouMean } from "../value-remedy.ts";
import type { RawBlock, ReaderContext } from "./reader-context.ts";
import { soulFields, withoutEffect } from "./schema.ts";

type Faults = Pick<ReaderContext, "faults" | "files">;

/** Reads `souls`: the agents, by id. */
export function readSouls(reader: Faults, souls: Readonly<Record<string, unknown>>): Map<string, NamedAgent> {
  return new Map(
    Object.entries(souls).flatMap(([id, value]) => {
      const soul = readSoul(reader, value, { id, at: ["souls", id] });
      return soul === undefined ? [] : [[id, soul] as const];
    }),
  );
}

function readSoul(
  reader: Faults,
  value: unknown,
  { id, at }: { readonly id: string; readonly at: SourcePath },
): NamedAgent | undefined {
  const cosmetic = new Set(
    isMapping(value) ? Object.keys(value).filter((key) => key.startsWith("avatar")) : [],
  );
  const fields = parseFields(value, { fields: soulFields, at, faults: reader.faults, ignored: cosmetic });
  if (!isMapping(value)) return undefined;
  warnOfKeys(reader, { keys: withoutEffect.soul, object: value, at });
  if (fields.id !== undefined && fields.id !== id) {
    const message = `The soul's \`id\` is not \`${id}\`, its key in \`souls\`.`;
    const hint = `Write \`id: ${id}\`, or name it \`${fields.id.slice(0, 80)}\` wherever it is used.`;
    reportFault(reader, "BAD_ID", { message, at: [...at, "id"], hint });
  }
  if (!Object.hasOwn(value, "system_prompt") || fields.system_prompt?.trim() === "") {
    reportFault(reader, "BAD_VALUE", {
      message: `The soul \`${id}\` needs a \`system_prompt\`.`,
      at,
      onKey: true,
    });
  }
  return {
    ...(fields.system_prompt === undefined ? {} : { instructions: fields.system_prompt }),
    ...whoOf(reader, fields, at),
    ...(fields.tools ? { tools: { only: fields.tools } } : {}),
    ...settingsOf(fields),
  };
}

function settingsOf({
  max_tool_iterations: maxTurns,
  temperature,
  max_tokens: maxTokens,
}: ParsedFields<typeof soulFields>): Pick<NamedAgent, "settings"> {
  const settings = {
    ...(maxTurns ? { maxTurns } : {}),
    ...(typeof temperature === "number" ? { temperature } : {}),
    ...(maxTokens ? { maxTokens } : {}),
  };
  return Object.keys(settings).length === 0 ? {} : { settings };
}

interface Who {
  readonly provider?: string | null;
  readonly model_name?: string | null;
}

/** The agent for a provider, and the model. For an unknown provider, the run's default agent and model are used. */
function whoOf(reader: Faults, { provider, model_name: model }: Who, at: SourcePath): NamedAgent {
  const named = model ? { model } : {};
  if (!provider) return named;
  const agent = agentBehind(provider, reader.files);
  if (agent !== undefined) return { agent, ...named };
  warnOfProvider(reader, provider, [...at, "provider"]);
  return {};
}

/** Finds the soul of a block, in the file or in its own file; reports an unknown one. */
export function findSoul(reader: ReaderContext, { fields, raw, at, id: block }: RawBlock): void {
  if (!Object.hasOwn(raw, "soul_ref")) {
    reportFault(reader, "BAD_VALUE", {
      message: `The block \`${block}\` needs a \`soul_ref\`.`,
      at,
      onKey: true,
    });
  }
  if (fields.soul_ref !== undefined) findSoulNamed(reader, fields.soul_ref, [...at, "soul_ref"]);
}

/** Finds a soul by its name. */
export function findSoulNamed(reader: ReaderContext, id: string, place: SourcePath): void {
  const source = /^[\w-]{1,100}$/.test(id) ? reader.files.soul?.(id) : undefined;
  if (reader.written.has(id)) warnOfHidden(reader, id, source?.file);
  if (reader.souls.has(id) || reader.written.has(id)) return;
  if (source === undefined) {
    const hint =
      didYouMean(id, [...reader.written]) ??
      `Write it under souls:, or into a file ${id}.yaml beside the workflow or in custom/souls/.`;
    reportFault(reader, "UNKNOWN_AGENT", {
      message: `There is no soul \`${id.slice(0, 100)}\`.`,
      at: place,
      hint,
    });
    return;
  }
  const soul = soulIn(reader.files, source, id);
  if ("because" in soul) {
    reportFault(reader, "BAD_VALUE", {
      message: `The soul in ${source.file} cannot be used: ${soul.because}`,
      at: place,
    });
  } else reader.souls.set(id, soul);
}

/** Warns about a soul's file that is hidden by the workflow's own soul of that name. */
function warnOfHidden(reader: ReaderContext, id: string, file: string | undefined): void {
  if (file === undefined) return;
  const message = `The soul in ${file} has no effect: the workflow defines its own.`;
  reportFault(reader, "IGNORED_FIELD", { message, at: ["souls", id], onKey: true, warning: true });
}

function soulIn(
  files: Files,
  { text }: { readonly text: string },
  id: string,
): NamedAgent | { readonly because: string } {
  const parsed = files.parse?.(text) ?? { value: undefined, because: "it cannot be read." };
  if (parsed.because !== undefined) return { because: parsed.because };
  const faults: ReaderContext["faults"] = [];
  const soul = readSoul({ faults, files }, parsed.value, { id, at: [] });
  const fault = faults.find(({ warning }) => !warning);
  return fault === undefined && soul !== undefined
    ? soul
    : { because: fault?.message ?? "it is not a mapping." };
}
