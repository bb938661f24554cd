import { isLoopGate } from "../../engine/path.ts";
import { wrong } from "../statement.ts";
import { waitingRuns } from "./applies-to.ts";
import { aboutRun } from "./command.ts";
import { decidesGate } from "./decide-gate.ts";

/** An approval with a text, at a gate that has a next iteration to read it. */
export const feedback = aboutRun({
  name: "feedback",
  takes: "<text>",
  group: "answer",
  doc: "asks for another iteration; the text may have several lines",
  atTerminal: "ask for another iteration, which gets the text",
  who: "approvers",
  appliesTo: waitingRuns,
  event: "run.decided",
  decision: "approve",
  staysVisible: true,
  decide: decidesGate("approve", ({ path }, { text }, { code }) => {
    if (text === "") return wrong(`${code("feedback")} needs a text`);
    return isLoopGate(path)
      ? undefined
      : wrong(`${code(path)} has no next iteration for feedback: approve or reject it`);
  }),
});
