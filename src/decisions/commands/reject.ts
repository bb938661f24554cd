import { waitingRuns } from "./applies-to.ts";
import { aboutRun } from "./command.ts";
import { decidesGate } from "./decide-gate.ts";

export const reject = aboutRun({
  name: "reject",
  takes: "[reason]",
  group: "answer",
  doc: "ends the run at a gate",
  atTerminal: "reject the open gate; the run ends as failed",
  who: "approvers",
  appliesTo: waitingRuns,
  event: "run.decided",
  decision: "reject",
  staysVisible: true,
  decide: decidesGate("reject"),
});
