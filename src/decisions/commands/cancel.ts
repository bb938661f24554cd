import { provenance } from "../statement.ts";
import { unfinishedRuns } from "./applies-to.ts";
import { aboutRun } from "./command.ts";

export const cancel = aboutRun({
  name: "cancel",
  takes: "[reason]",
  group: "answer",
  doc: "ends the run",
  atTerminal: "cancel a run that is running or paused",
  who: "commanders",
  appliesTo: unfinishedRuns,
  event: "run.cancelled",
  staysVisible: true,
  says: ({ by, text }, reason) => text === because(by, reason),
  decide: (_, said) => ({
    record: {
      type: "run.cancelled",
      at: said.at,
      by: said.by,
      because: because(said.by, said.text),
      ...provenance(said),
    },
  }),
});

const because = (by: string, reason: string) => `cancelled by ${by}${reason === "" ? "" : `: ${reason}`}`;
