import { compareTests, failedDespiteGreen } from "../../checks/inventory/compare.ts";
import type { ShellAnswer } from "../../ports/shell.ts";
import { failedNames, type TestInventory } from "../../ports/tests.ts";
import { stops } from "../../stops/index.ts";
import { emit, type Operation } from "../operation.ts";
import type { CheckQuestion, CheckRecord } from "./check-record.ts";

/** Why a check in a fresh clone is not green. */
export function faultOf(
  answer: ShellAnswer,
  { before }: CheckRecord,
  { spec }: CheckQuestion,
): string | undefined {
  if (answer.clean?.failed) return `its setup failed (\`${answer.clean.setup ?? "clone"}\`)`;
  const { verdict, because } = stops["until-bash"].read(spec, answer);
  if (verdict !== "done") return because;
  if (spec.tests !== "keep" && spec.tests !== "review") return undefined;
  if (spec.tests === "review" || before === undefined)
    return spec.redIfTestsFailed && answer.tests ? failedDespiteGreen(answer.tests) : undefined;
  return compareTests({ before, after: answer.tests, fixed: false }).complaint;
}

/** True if a clone without any change does less than the checkout, or fails more. */
export function lacksSomething(record: CheckRecord, base: ShellAnswer): boolean {
  if (isUnable(record, { answer: base, base })) return true;
  const [failed, before] = [base.tests, record.before].map((tests) => tests && failedNames(tests));
  if (failed !== undefined && before !== undefined) return failed.some((name) => !before.includes(name));
  return (base.tests?.failed ?? 0) > (record.before?.failed ?? 0);
}

const ran = (tests: TestInventory | undefined) => (tests === undefined ? 0 : tests.passed + tests.failed);

/** True if a fresh clone lacks what the check needs even without any change: its result is then ignored. */
export function isUnable(
  { before }: CheckRecord,
  { answer, base }: { readonly answer: ShellAnswer; readonly base: ShellAnswer },
): boolean {
  if (base.exitCode === 0) return false;
  if (base.clean?.failed || answer.clean?.failed) return base.clean?.failed === answer.clean?.failed;
  if (ran(before) === 0) return base.exitCode === 126 || base.exitCode === 127;
  if (ran(base.tests) === 0) return true;
  const [failed, failedBefore, failedHere] = [base, { tests: before }, answer].map(
    ({ tests }) => tests && failedNames(tests),
  );
  if (
    failed === undefined ||
    failedBefore === undefined ||
    failedHere === undefined ||
    failedHere.length === 0
  ) {
    const [more, now] = [(base.tests?.failed ?? 0) - (before?.failed ?? 0), answer.tests?.failed ?? 0];
    return now > 0 && now <= more;
  }
  return failedHere.every((name) => failed.includes(name) && !failedBefore.includes(name));
}

export function* noteUnable(fault: string, path: string): Operation<void> {
  const message = `the check fails in a fresh clone even without the agent's change: ${fault}; set check.setup to prepare the clone`;
  yield* emit({ type: "notice", code: "CLEAN_CHECK_UNAVAILABLE", message, path });
}

export function* noteCompleted({ clean }: ShellAnswer, path: string): Operation<void> {
  const copied = clean?.copied ?? [];
  const names = copied.length > 5 ? `${copied.slice(0, 5).join(", ")} and more` : copied.join(", ");
  const message = `a fresh clone passes only with files that it lacks, which were there before the run: ${names}`;
  yield* emit({ type: "notice", code: "CLEAN_CHECK_COMPLETED", message, path });
}
