import type { Effect } from "./operation.ts";

const note =
  "Note: an earlier attempt at this step was cut off before it could answer. " +
  "Its changes may already be in the workspace: look before you repeat anything.";

/** Tells an agent that an earlier attempt at this effect was cut off by a kill. */
export function withRestartNote(effect: Effect): Effect {
  if (effect.port !== "agent" || effect.ask.role !== "worker" || effect.ask.prompt.startsWith(note))
    return effect;
  return { ...effect, ask: { ...effect.ask, prompt: `${note}\n\n${effect.ask.prompt}` } };
}
