import { compareTests, failedDespiteGreen } from "../../checks/inventory/compare.ts";
import { defined } from "../../ports/defined.ts";
import type { ShellAnswer } from "../../ports/shell.ts";
import { failedNames, type TestInventory } from "../../ports/tests.ts";
import type { CheckGuard } from "../../ports/workspace.ts";
import { stops } from "../../stops/index.ts";
import { emit, type Operation, perform } from "../operation.ts";
import { sideEffectPath } from "../path.ts";
import type { Checked, Checking, CheckQuestion, CheckRecord } from "./check-record.ts";

/** What to protect in a fresh clone: the tools and files that the checks of the loop use. */
export const guardFor = ({ stops: specs, guard }: Checking["node"]): CheckGuard => ({
  scripts: specs.flatMap((spec) => (spec.kind === "until-bash" ? [spec.script.script] : [])),
  allow: guard?.allow ?? [],
  tests: guard?.tests ?? false,
});

/**
 * The default is yes if tests ran, a tool is known, or the loop protects files. Otherwise a check may need files that
 * git ignores.
 */
export function wantsFreshClone(
  { spec, checking }: CheckQuestion,
  after: TestInventory | undefined,
): boolean {
  const { node, base, commit, tools } = checking;
  if (node.guard === undefined || base === undefined || commit === undefined || spec.clean === false)
    return false;
  return (
    spec.clean === true ||
    spec.setup !== undefined ||
    after !== undefined ||
    tools.length > 0 ||
    node.protect.length > 0
  );
}

/** Runs a green check again in a fresh clone of the snapshot; it must be green there too. */
export function* testInFreshClone(
  checked: Checked,
  record: CheckRecord,
  question: CheckQuestion,
): Operation<Checked> {
  const { path, checking } = question;
  const answer = yield* runInClone(question, { commit: checking.commit ?? "", what: "clean" });
  const ms = answer.clean?.ms;
  const timed = ms === undefined ? {} : { ms };
  const fault = faultOf(answer, record, question);
  const passed = { ...checked, clean: { result: "passed", ...timed } } as const;
  if (fault === undefined)
    return { ...passed, ...(yield* reviewClone(checked, answer, { record, question })) };
  if (yield* passesCompleted(answer, record, question)) return passed;
  const base = yield* runBase(record, question);
  if (yield* passesAsBefore({ answer, base }, record, question)) return passed;
  const left = answer.clean?.leftOut ?? [];
  if (left.length === 0 && isUnable(record, { answer, base })) {
    const message = `the check fails in a fresh clone even without the agent's change: ${fault}; set check.setup to prepare the clone`;
    yield* emit({ type: "notice", code: "CLEAN_CHECK_UNAVAILABLE", message, path });
    return { ...checked, clean: { result: "unavailable", ...timed } };
  }
  const programs = left.length === 0 ? "" : `; programs on PATH are new or changed: ${left.join(", ")}`;
  return {
    ...checked,
    verdict: "go-on",
    because: `it passed here, but not in a fresh clone: ${fault}${programs}`,
    tail: `${checked.tail ?? ""}\n--- in a fresh clone ---\n${answer.tail}`.slice(-mostOfTail),
    clean: { result: "failed", ...timed },
  };
}

/**
 * If the work added or removed a manifest, the setup differs from before and may not install the tests' own tools.
 */
function* passesAsBefore(
  { answer, base }: { readonly answer: ShellAnswer; readonly base: ShellAnswer },
  record: CheckRecord,
  question: CheckQuestion,
): Operation<boolean> {
  const setup = base.clean?.setup ?? "";
  if (question.spec.setup !== undefined || setup === (answer.clean?.setup ?? "")) return false;
  const commit = question.checking.commit ?? "";
  const again = yield* runInClone(question, { commit, what: "clean-again", setup });
  return faultOf(again, record, question) === undefined;
}

/**
 * The check may need files that git ignores, or a submodule: what nothing has touched since before the first agent may
 * be there too.
 */
function* passesCompleted(
  { clean }: ShellAnswer,
  record: CheckRecord,
  question: CheckQuestion,
): Operation<boolean> {
  const { checking, path, spec } = question;
  if (!spec.completesClone) return false;
  // What could not be installed may have been there.
  const setup = clean?.failed ? { setup: "" } : {};
  const commit = checking.commit ?? "";
  const answer = yield* runInClone(question, { commit, what: "clean-completed", untouched: true, ...setup });
  const copied = answer.clean?.copied ?? [];
  if (copied.length === 0 || faultOf(answer, record, question) !== undefined) return false;
  const names = copied.length > 5 ? `${copied.slice(0, 5).join(", ")} and more` : copied.join(", ");
  const message = `a fresh clone passes only with files that it lacks, which were there before the run: ${names}`;
  yield* emit({ type: "notice", code: "CLEAN_CHECK_COMPLETED", message, path });
  return true;
}

const mostOfTail = 16 * 1024;

interface CloneOf {
  readonly commit: string;
  readonly what: "clean" | "clean-base" | "clean-again" | "clean-completed";
  /** Setup command; the author's if absent. */
  readonly setup?: string;
  readonly untouched?: true;
}

function* runInClone(
  { spec, iteration, path, context, checking }: CheckQuestion,
  { commit, what, setup = spec.setup, untouched }: CloneOf,
): Operation<ShellAnswer> {
  const clean = {
    commit,
    base: checking.base ?? commit,
    guard: guardFor(checking.node),
    ...defined({ setup, untouched }),
  };
  const ask = { ...stops["until-bash"].ask(spec, iteration), clean };
  return yield* perform("shell", sideEffectPath(path, what), { ask, workspace: context.workspace });
}

/** Why a check in a fresh clone is not green. */
function faultOf(answer: ShellAnswer, { before }: CheckRecord, { spec }: CheckQuestion): string | undefined {
  if (answer.clean?.failed) return `its setup failed (\`${answer.clean.setup ?? "clone"}\`)`;
  const { verdict, because } = stops["until-bash"].read(spec, answer);
  if (verdict !== "done") return because;
  if (spec.tests !== "keep" && spec.tests !== "review") return undefined;
  if (spec.tests === "review" || before === undefined)
    return spec.redIfTestsFailed && answer.tests ? failedDespiteGreen(answer.tests) : undefined;
  return compareTests({ before, after: answer.tests, fixed: false }).complaint;
}

/** Tests that are missing only in the clone: a person decides. */
function* reviewClone(
  { review = [] }: Checked,
  { tests: after }: ShellAnswer,
  { record, question }: { readonly record: CheckRecord; readonly question: CheckQuestion },
): Operation<Pick<Checked, "review">> {
  const { before } = record;
  if (before === undefined || question.spec.tests !== "review" || review.some(({ kind }) => kind === "tests"))
    return {};
  const missing = compareTests({ before, after, fixed: false });
  if (missing.complaint === undefined) return {};
  // Where fewer tests run in any clone, the change has not removed them.
  const { tests: base } = yield* runBase(record, question);
  const isSame = base && compareTests({ before: base, after, fixed: false }).complaint === undefined;
  if (isSame) return {};
  const because = `in a fresh clone, ${missing.complaint}`;
  return { review: [...review, { kind: "tests", because, tests: [...missing.gone] }] };
}

/** The check in a clone of the loop's first snapshot. */
function* runBase(record: CheckRecord, question: CheckQuestion): Operation<ShellAnswer> {
  const commit = question.checking.base ?? "";
  record.cleanBase ??= yield* runInClone(question, { commit, what: "clean-base" });
  return record.cleanBase;
}

const ran = (tests: TestInventory | undefined) => (tests === undefined ? 0 : tests.passed + tests.failed);

/** True if a fresh clone lacks what the check needs even without any change: its result is then ignored. */
function isUnable(
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
