import type { Command } from "./command.ts";

/** Ends a run wherever it stands. */
export const cancel: Command = {
  name: "cancel",
  choose(session, { by, text, at }) {
    if (session.ended) return { refused: "wrong", because: `run ${session.facts.run} has ended already` };
    const because = text === "" ? `cancelled by ${by}` : `cancelled by ${by}: ${text}`;
    return { record: { type: "run.cancelled", at, by, because } };
  },
};
