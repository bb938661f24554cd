import type { Effect } from "./operation.ts";

const note =
  "Note: an earlier attempt at this step was cut off before it could answer. " +
  "Its changes may already be in the workspace: look before you repeat anything.";

/** Tells an agent that an earlier attempt at this effect was cut off by a kill. */
export function withRestartNote(need: Effect): Effect {
  if (need.port !== "agent" || need.ask.role !== "worker" || need.ask.prompt.startsWith(note)) return need;
  return { ...need, ask: { ...need.ask, prompt: `${note}\n\n${need.ask.prompt}` } };
}
