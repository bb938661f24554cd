import type { AgentSettings } from "../../ports/agent.ts";
import { defined } from "../../ports/defined.ts";

interface Settings {
  readonly temperature?: number | undefined;
  readonly max_tokens?: number | undefined;
}

/** The settings of a model that a mapping gives. */
export const settingsOf = ({ temperature, max_tokens: maxTokens }: Settings): AgentSettings =>
  defined({ temperature, maxTokens });
