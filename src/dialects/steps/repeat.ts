import type { StopSpec } from "../../stops/index.ts";
import { readIterationLimit } from "../iteration-limit.ts";
import { reportFault } from "../report-fault.ts";
import { checkJudge } from "./agents.ts";
import { readExpression, type Visible } from "./expressions.ts";
import type { RawLoop } from "./raw-step.ts";
import type { ReaderContext } from "./reader-context.ts";

/** Reads how often a loop may repeat. */
export const readMax = (reader: ReaderContext, loop: RawLoop): number | undefined =>
  readIterationLimit(reader, loop, {
    key: "maxIterations",
    missing: "Add maxIterations: 5, say; or forEach, to run once for each item of a list.",
  });

/** Reads what ends a loop early: the expression first, then the judge. */
export function readStops(
  reader: ReaderContext,
  { at, fields }: RawLoop,
  visible: Visible,
): readonly StopSpec[] {
  const stops: StopSpec[] = [];
  const { until, untilAgent } = fields;
  if (until !== undefined && !isBlank(reader, until, [...at, "until"])) {
    const expression = readExpression(reader, { source: until, at: [...at, "until"] }, visible);
    if (expression !== undefined) stops.push({ kind: "expression", expression });
  }
  if (untilAgent !== undefined && !isBlank(reader, untilAgent, [...at, "untilAgent"])) {
    checkJudge(reader, untilAgent, [...at, "untilAgent"]);
    stops.push({ kind: "judge", agent: untilAgent, onError: "go-on", insists: true, sees: "history" });
  }
  return stops;
}

function isBlank(reader: ReaderContext, text: string, at: RawLoop["at"]): boolean {
  if (text.trim() !== "") return false;
  reportFault(reader, "LOOP_BLANK_STOP", { message: `\`${at.at(-1)}\` is blank.`, at });
  return true;
}
