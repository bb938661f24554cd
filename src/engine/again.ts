import type { Need } from "./flow.ts";

const note =
  "Note: an earlier attempt at this step was cut off before it could answer. " +
  "Its changes may already be in the workspace: look before you repeat anything.";

/** A need whose earlier attempt a kill cut off: an agent at work is told so. */
export function again(need: Need): Need {
  if (need.port !== "agent" || need.ask.role !== "worker" || need.ask.prompt.startsWith(note)) return need;
  return { ...need, ask: { ...need.ask, prompt: `${note}\n\n${need.ask.prompt}` } };
}
