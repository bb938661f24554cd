import { provenance, wrong } from "../statement.ts";
import { exhaustedRuns } from "./applies-to.ts";
import { aboutRun } from "./command.ts";

/** Grants more iterations to a run that ended because it had none left. */
export const retry = aboutRun({
  name: "retry",
  takes: "[n]",
  group: "go on",
  doc: "gives a run that used up its iterations `n` more",
  more: "without `n`, as many as its file allows",
  who: "commanders",
  appliesTo: exhaustedRuns,
  event: "run.extended",
  decide({ run }, said, { code }) {
    const { text, at, by } = said;
    if (!/^([1-9]\d{0,2})?$/.test(text))
      return wrong(`${code("retry")} takes a number of iterations: ${code(`/workflow retry ${run} 5`)}`);
    const more = text === "" ? {} : { iterations: Number(text) };
    return { record: { type: "run.extended", at, by, ...more, ...provenance(said) } };
  },
});
