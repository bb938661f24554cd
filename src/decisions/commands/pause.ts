import { provenance, wrong } from "../statement.ts";
import { over } from "./applies-to.ts";
import { aboutRun } from "./command.ts";

/** The job that runs it finishes the iteration first, so no work is lost. */
export const pause = aboutRun({
  name: "pause",
  takes: "[reason]",
  group: "go on",
  doc: "pauses a running run before its next iteration; `resume` continues it",
  who: "commanders",
  appliesTo: {
    none: "no run is running here",
    fits: ({ state }) => state === "running",
    refuse(view, wording) {
      if (view.state === "ended") return over(view, wording);
      return view.state === "running"
        ? undefined
        : wrong(`run ${view.run} is not running: it is paused already`);
    },
  },
  event: "run.pause-requested",
  decide: (_, said) => ({
    record: {
      type: "run.pause-requested",
      at: said.at,
      by: said.by,
      text: said.text,
      ...provenance(said),
    },
  }),
});
