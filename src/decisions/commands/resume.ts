import { wrong } from "../statement.ts";
import { over, unfinishedRuns } from "./applies-to.ts";
import { aboutRun } from "./command.ts";

export const resume = aboutRun({
  name: "resume",
  takes: "",
  group: "go on",
  doc: "resumes a run that is paused, or whose job is gone",
  who: "commanders",
  appliesTo: {
    ...unfinishedRuns,
    refuse(view, wording) {
      const { run, state, cancelled, stopReason, waits } = view;
      if (state !== "ended")
        return waits ? { ...wrong(`run ${run} waits for a person: approve or reject it`), waits } : undefined;
      if (cancelled !== undefined) return over(view, wording);
      const more = stopReason === "max-iterations" ? `, or give it more: ${wording.more(run)}` : "";
      return wrong(`run ${run} has ended; there is nothing to resume: start a new run${more}`);
    },
  },
  decide: () => ({ resumes: true }),
});
