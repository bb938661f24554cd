import type { AgentCall } from "../../plan/plan.ts";
import type { ParsedFields, SourcePath } from "../parse-fields.ts";
import { readProvider, settingsOf } from "./execution.ts";
import type { ReaderContext } from "./reader-context.ts";
import type { executionItemFields } from "./schema.ts";
import { readText } from "./templates.ts";

const idleMs = 1_800_000;

interface Prompt {
  readonly source: string;
  readonly at: SourcePath;
  /** The step it belongs to. */
  readonly element: string;
  /** The agent that answers, and its settings. */
  readonly who: ParsedFields<typeof executionItemFields> & { readonly providers?: readonly unknown[] };
  readonly whoAt: SourcePath;
}

/** A prompt as an agent call, with its own settings, else those of the file. */
export function agentCallOf(reader: ReaderContext, { source, at, element, who, whoAt }: Prompt): AgentCall {
  const timeoutMs = who.timeout ?? reader.execution.timeoutMs;
  const settings = { ...reader.execution.settings, ...settingsOf(who) };
  return {
    prompt: readText(reader, { source, at, element }),
    ...readProvider(reader, who, whoAt),
    idleMs,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(Object.keys(settings).length === 0 ? {} : { settings }),
  };
}
