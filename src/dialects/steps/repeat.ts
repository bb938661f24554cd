import type { StopSpec } from "../../stops/index.ts";
import { note } from "../note.ts";
import { unquoted } from "../shape.ts";
import { checkJudge } from "./agents.ts";
import type { LoopDraft } from "./draft.ts";
import { readExpression, type Visible } from "./expressions.ts";
import type { Sheet } from "./sheet.ts";

/** Reads how often a loop may repeat. */
export function readMax(sheet: Sheet, { at, raw }: LoopDraft): number | undefined {
  const max = raw["maxIterations"];
  if (max === undefined || max === null) {
    const hint = "Add maxIterations: 5, say; or forEach, to run once for each item of a list.";
    note(sheet, "LOOP_MAX_MISSING", { message: "A loop needs `maxIterations`.", at, onKey: true, hint });
    return undefined;
  }
  if (typeof max === "number" && Number.isSafeInteger(max) && max >= 1) return max;
  const message = "`maxIterations` must be a whole number of at least 1.";
  note(sheet, "LOOP_MAX_RANGE", { message, at: [...at, "maxIterations"], hint: unquoted(max) });
  return undefined;
}

/** Reads what ends a loop early: the expression first, then the judge. */
export function readStops(sheet: Sheet, { at, fields }: LoopDraft, visible: Visible): readonly StopSpec[] {
  const stops: StopSpec[] = [];
  const { until, untilAgent } = fields;
  if (until !== undefined && !isBlank(sheet, until, [...at, "until"])) {
    const expression = readExpression(sheet, { source: until, at: [...at, "until"] }, visible);
    if (expression !== undefined) stops.push({ kind: "expression", expression });
  }
  if (untilAgent !== undefined && !isBlank(sheet, untilAgent, [...at, "untilAgent"])) {
    checkJudge(sheet, untilAgent, [...at, "untilAgent"]);
    stops.push({ kind: "judge", agent: untilAgent, onError: "go-on", insists: true, sees: "history" });
  }
  return stops;
}

function isBlank(sheet: Sheet, text: string, at: LoopDraft["at"]): boolean {
  if (text.trim() !== "") return false;
  note(sheet, "LOOP_BLANK_STOP", { message: `\`${at.at(-1)}\` is blank.`, at });
  return true;
}
