import { isMapping, type SourcePath } from "../parse-fields.ts";
import { reportFault } from "../report-fault.ts";
import { isAgent } from "./agent-names.ts";
import type { AgentDefaults } from "./agent-settings.ts";
import type { ReaderContext } from "./reader-context.ts";

/** The meaning of a `model` value. */
export interface NamedModel {
  readonly agent?: string;
  readonly model?: string;
  readonly effort?: string;
}

type Reader = Pick<ReaderContext, "faults" | "files" | "agents">;

interface Naming {
  readonly agent?: string | undefined;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
}

const aliasPattern = /^@[\w-]+$/;

/**
 * The model of a mapping. Archon's aliases (`@name`) and the tiers in `.archon/config.yaml` stand for an agent with a
 * model. If the provider is unknown, its model is dropped too.
 */
export function readModel(reader: Reader, naming: Naming, at: SourcePath): NamedModel {
  return readModelAt(reader, naming, [...at, "model"]);
}

/** The same for a model at another position. */
export function readModelAt(
  reader: Reader,
  { agent, provider, model }: Naming,
  place: SourcePath,
): NamedModel {
  if (model?.trim() === "") {
    const message = "`model` is empty, so it has no effect.";
    const hint = "Write a model, or remove the key.";
    reportFault(reader, "IGNORED_FIELD", { message, at: place, hint, warning: true });
    return {};
  }
  const preset = model === undefined ? undefined : findPreset(reader, model);
  if (preset !== undefined) return readPreset(reader, preset, place);
  if (model !== undefined && aliasPattern.test(model)) {
    const message = `The model alias \`${model}\` has no effect here.`;
    const hint =
      "Define it in .archon/config.yaml, under aliases:. Without it the agent's default model is used.";
    reportFault(reader, "IGNORED_FIELD", { message, at: place, hint, warning: true });
    return {};
  }
  if (agent === undefined && provider !== undefined && !isAgent(provider, reader)) return {};
  return model === undefined ? {} : { model };
}

function findPreset({ files }: Reader, name: string): Readonly<Record<string, unknown>> | undefined {
  if (!aliasPattern.test(name) && !["small", "medium", "large"].includes(name)) return undefined;
  const config = files.parse?.(files.archonConfig?.() ?? "").value;
  const presets = isMapping(config) ? config[name.startsWith("@") ? "aliases" : "tiers"] : undefined;
  const preset = isMapping(presets) && Object.hasOwn(presets, name) ? presets[name] : undefined;
  return isMapping(preset) ? preset : undefined;
}

function readPreset(
  reader: Reader,
  { provider, model, effort }: Readonly<Record<string, unknown>>,
  at: SourcePath,
): NamedModel {
  if (typeof provider === "string" && !isAgent(provider, reader)) {
    const message = `\`${provider}\`, in .archon/config.yaml, is not an agent until-green knows; the run's agent is used instead.`;
    reportFault(reader, "IGNORED_FIELD", { message, at, warning: true });
    return {};
  }
  return {
    ...(typeof provider === "string" ? { agent: provider } : {}),
    ...(typeof model === "string" ? { model } : {}),
    ...(typeof effort === "string" ? { effort } : {}),
  };
}

/** The enclosing defaults, with the effort that the model implies. */
export const withEffort = <T extends AgentDefaults>(defaults: T, { effort }: NamedModel): T =>
  effort === undefined ? defaults : { ...defaults, settings: { ...defaults.settings, effort } };
