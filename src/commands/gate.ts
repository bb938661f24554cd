import type { Session } from "../engine/session.ts";
import type { Chosen, Command } from "./command.ts";

/** A decision at a gate. */
const gateCommand = (name: "approve" | "reject"): Command => ({
  name,
  choose(session, { by, text, at, since, gate: named }): Chosen {
    const gates = session.gates();
    // A gate that opened after now was opened by another clock: then nobody can say who spoke before it.
    const open = gates.filter((gate) => gate.since <= since || gate.since > at);
    const gate = named === undefined ? open[0] : open.find(({ path }) => path === named);
    if (gate !== undefined) {
      return {
        record: { type: "run.decided", at, gate: gate.need, decision: name, by, text },
        gate: gate.path,
      };
    }
    return refusal(session, named);
  },
});

function refusal({ facts, decided, gates }: Session, named: string | undefined): Chosen {
  const open = gates().map(({ path }) => path);
  const late = named === undefined ? [...decided.values()].at(-1) : decided.get(named);
  if (late !== undefined) {
    const since = open.length > 0 ? `; ${open.join(", ")} opened since: look at it first` : "";
    return { refused: "late", because: `already decided by ${late.by}${since}` };
  }
  const where =
    named === undefined ? `run ${facts.run} waits at no gate` : `run ${facts.run} has no open gate ${named}`;
  return { refused: "wrong", because: open.length > 0 ? `${where}; open: ${open.join(", ")}` : where };
}

export const approve = gateCommand("approve");
export const reject = gateCommand("reject");
