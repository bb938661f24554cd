import type { AgentCall } from "../../plan/plan.ts";
import type { SourcePath } from "../parse-fields.ts";
import { readProvider } from "./execution.ts";
import type { ReaderContext } from "./reader-context.ts";
import { settingsOf } from "./settings.ts";
import { readText } from "./templates.ts";

const idleMs = 1_800_000;

/** The agent that answers a prompt, and its settings. */
interface Who {
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly timeout?: number | undefined;
  readonly temperature?: number | undefined;
  readonly max_tokens?: number | undefined;
}

interface Prompt {
  readonly source: string;
  readonly at: SourcePath;
  /** The step it belongs to. */
  readonly element: string;
  readonly who: Who;
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
