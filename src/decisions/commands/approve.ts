import { waitingRuns } from "./applies-to.ts";
import { aboutRun } from "./command.ts";
import { decidesGate } from "./decide-gate.ts";

export const approve = aboutRun({
  name: "approve",
  takes: "[text]",
  group: "answer",
  doc: "continues from a gate",
  more: "`--anyway` if the branch has moved, `--gate <path>` for a gate other than the oldest",
  atTerminal: "approve the open gate; the next iteration gets the text as feedback",
  who: "approvers",
  appliesTo: waitingRuns,
  event: "run.decided",
  decision: "approve",
  staysVisible: true,
  acceptsDraft: true,
  decide: decidesGate("approve"),
});
