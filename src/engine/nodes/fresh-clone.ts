import { compareTests } from "../../checks/inventory/compare.ts";
import { defined } from "../../ports/defined.ts";
import type { ShellAnswer } from "../../ports/shell.ts";
import type { TestInventory } from "../../ports/tests.ts";
import { stops } from "../../stops/index.ts";
import type { Operation } from "../operation.ts";
import { type Checked, type CheckQuestion, type CheckRecord, recordOf } from "./check-record.ts";
import { faultOf, isUnable, noteCompleted, noteUnable } from "./clone-faults.ts";
import { complete, runBase, runInClone } from "./clone-runs.ts";

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

/** Runs a green check again in a fresh clone of the snapshot, unless it ran there; it must be green there too. */
export function* testInFreshClone(
  checked: Checked,
  record: CheckRecord,
  question: CheckQuestion,
): Operation<Checked> {
  const { path } = question;
  if (checked.clean !== undefined || !wantsFreshClone(question, checked.answer?.tests)) return checked;
  if (record.clone === "unable") return { ...checked, clean: { result: "unavailable" } };
  const answer = yield* runWarmOrCold(record, question);
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
    yield* noteUnable(fault, path);
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

const mostOfTail = 16 * 1024;

/**
 * Where the clone before the first agent did what the checkout does, the check runs in a clone of the work alone, warm
 * and once. Only green counts: anything else may come from what was compiled before, and is tested in the checkout.
 */
export function* checkInClone(question: CheckQuestion): Operation<Checked | undefined> {
  const { checking, iteration, spec } = question;
  const record = recordOf(checking.records, spec.script.script);
  if (!record.isEnough || iteration.number === 0) return undefined;
  record.isEnough = false;
  const answer = yield* runClone("clean-first", record, question);
  if (!answer.clean?.warm) record.cold = { commit: checking.commit, answer };
  if (!isPlainlyGreen(answer, record, question)) return undefined;
  const ms = answer.clean?.ms;
  const clean = { result: "passed", ...defined({ ms }) } as const;
  return { ...stops["until-bash"].read(spec, answer), tail: answer.tail, answer, clean };
}

/** Runs the check in a clone of the work, once more if only what an earlier clone compiled may have failed. */
function* runWarmOrCold(record: CheckRecord, question: CheckQuestion): Operation<ShellAnswer> {
  if (record.cold !== undefined && record.cold.commit === question.checking.commit) return record.cold.answer;
  const answer = yield* runClone("clean", record, question);
  if (!answer.clean?.warm || isPlainlyGreen(answer, record, question)) return answer;
  return yield* runClone("clean-cold", record, question);
}

function runClone(
  what: "clean" | "clean-first" | "clean-cold",
  { clone, cleanBase }: CheckRecord,
  question: CheckQuestion,
): Operation<ShellAnswer> {
  const commit = question.checking.commit ?? "";
  return clone === "completed" && cleanBase !== undefined
    ? complete(question, { commit, answer: cleanBase, what })
    : runInClone(question, { commit, what });
}

function isPlainlyGreen(answer: ShellAnswer, record: CheckRecord, question: CheckQuestion): boolean {
  const { before } = record;
  if (faultOf(answer, record, question) !== undefined) return false;
  const missing = before && compareTests({ before, after: answer.tests, fixed: false }).complaint;
  return missing === undefined;
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
  answer: ShellAnswer,
  record: CheckRecord,
  question: CheckQuestion,
): Operation<boolean> {
  const { checking, path, spec } = question;
  if (!spec.completesClone || record.clone === "completed") return false;
  const completed = yield* complete(question, { commit: checking.commit ?? "", answer });
  if ((completed.clean?.copied ?? []).length === 0) return false;
  if (faultOf(completed, record, question) !== undefined) return false;
  yield* noteCompleted(completed, path);
  return true;
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
