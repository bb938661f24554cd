import { failedDespiteGreen } from "../../checks/inventory/compare.ts";
import type { Checked, CheckQuestion } from "./check-record.ts";

/** A check that exits 0 is not green if its output counts failed tests, unless the author accepts that. */
export function withoutFailures(checked: Checked, { spec }: CheckQuestion): Checked {
  const tests = checked.answer?.tests;
  if (checked.verdict !== "done" || !spec.redIfTestsFailed || tests === undefined) return checked;
  const failed = failedDespiteGreen(tests);
  return failed === undefined ? checked : passedBut(failed, checked);
}

/** A check that exits 0, but is not green. */
export const passedBut = (complaint: string, checked: Checked): Checked => ({
  ...checked,
  verdict: "go-on",
  because: `it passed, but ${complaint}`,
});
