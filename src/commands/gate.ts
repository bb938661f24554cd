import type { Chosen, Command } from "./command.ts";

/** A decision at a gate. */
const gateCommand = (name: "approve" | "reject"): Command => ({
  name,
  choose(session, { by, text, at, gate: named }): Chosen {
    const run = session.facts.run;
    const open = session.gates().map(({ path }) => path);
    const path = named ?? open[0];
    if (path === undefined || !open.includes(path)) {
      const by = named === undefined ? [...session.decided.values()].at(-1) : session.decided.get(named);
      if (by !== undefined) return { refused: "late", because: `already decided by ${by}` };
      const where = named === undefined ? `run ${run} waits at no gate` : `run ${run} has no open gate ${named}`;
      const hint = open.length > 0 ? `; open: ${open.join(", ")}` : "";
      return { refused: "wrong", because: where + hint };
    }
    const gate = gateNeed(session, path);
    return { record: { type: "run.decided", at, gate, decision: name, by, text }, gate: path };
  },
});

/** The need's own path, attempt included, of a gate as people see it. */
function gateNeed({ needs }: Parameters<Command["choose"]>[0], path: string): string {
  for (const need of needs.values()) {
    if (need.port === "human" && need.path.replace(/~\d+/g, "") === path) return need.path;
  }
  return path;
}

export const approve = gateCommand("approve");
export const reject = gateCommand("reject");
