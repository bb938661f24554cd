import { effortLevels } from "../../ports/agent-settings.ts";
import { isMapping, type SourcePath } from "../parse-fields.ts";
import { reportFault } from "../report-fault.ts";
import { didYouMean } from "../value-remedy.ts";
import type { ReaderContext } from "./reader-context.ts";

interface Words {
  readonly key: string;
  readonly known: readonly string[];
  /** Words of single agents, which Archon does not know. */
  readonly others?: readonly string[];
}

const effort = { known: effortLevels, others: ["none", "off", "auto"] };

/** Settings whose value is one of a few words. An agent may know others, so another word is only a warning. */
const settings: readonly Words[] = [
  { key: "effort", ...effort },
  { key: "modelReasoningEffort", ...effort },
  { key: "webSearchMode", known: ["disabled", "cached", "live"] },
  { key: "thinking", known: ["adaptive", "enabled", "disabled"] },
];

/** Warns of words that agents probably do not know, and of empty lists, which Archon refuses. */
export function checkSettings(
  reader: Pick<ReaderContext, "faults">,
  fields: Readonly<Record<string, unknown>>,
  at: SourcePath,
): void {
  for (const { key, known, others = [] } of settings) {
    const word = fields[key];
    if (typeof word !== "string" || [...known, ...others].includes(word)) continue;
    const message = `\`${key}\` is one of ${known.join(", ")}; agents get \`${word.slice(0, 40)}\` as it is.`;
    const hint = didYouMean(word, known) ?? `For example \`${key}: ${known.at(-1)}\`.`;
    reportFault(reader, "BAD_VALUE", { message, at: [...at, key], hint, warning: true });
  }
  for (const key of ["skills", "betas", "agents"] as const) {
    if (!isEmpty(fields[key])) continue;
    const hint = "Write at least one entry, or remove the key.";
    const message = `\`${key}\` is empty, so it has no effect.`;
    reportFault(reader, "IGNORED_FIELD", { message, at: [...at, key], onKey: true, hint, warning: true });
  }
}

const isEmpty = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : isMapping(value) && Object.keys(value).length === 0;
