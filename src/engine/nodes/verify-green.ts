import { afterCheck } from "../../checks/after-check.ts";
import { compareTests, type TestChange } from "../../checks/inventory/compare.ts";
import type { SuspiciousLine } from "../../checks/patch.ts";
import type { TestInventory } from "../../ports/tests.ts";
import { emit, type Operation } from "../operation.ts";
import { sideEffectPath } from "../path.ts";
import { type Checked, type CheckQuestion, type CheckRecord, noteVerdict, recordOf } from "./check-record.ts";
import { testInFreshClone } from "./fresh-clone.ts";
import { passedBut, withoutFailures } from "./honest-exit.ts";
import { askWorkspace } from "./loop-workspace.ts";
import { prepareClone } from "./prepare-clone.ts";
import { stressCheck } from "./stress-check.ts";

/**
 * Verifies a check's verdict: which tests ran, whether green is repeatable, and whether it holds in a fresh clone.
 */
export function* verifyCheck(first: Checked, question: CheckQuestion): Operation<Checked> {
  const { spec, iteration, checking } = question;
  const record = recordOf(checking.records, spec.script.script);
  if (first.answer === undefined || first.broken) return first;
  const checked = yield* stressCheck(first, question);
  const after = checked.answer?.tests;
  record.tail = checked.tail ?? "";
  if (isFirstTime(question, record)) yield* noteNoTests(checked, question);
  if (iteration.number === 0) {
    const judged = ofBaseline(checked, record, question);
    if (judged.verdict !== "done" && !judged.broken) yield* prepareClone(record, question);
    return withCounts(judged, after, undefined);
  }
  record.last = after;
  const change = changeOf(record, after, question);
  const counted = withCounts(checked, after, change);
  if (checked.verdict !== "done") {
    yield* noteFlake(checked, record, question);
    return counted;
  }
  const complaint = spec.tests === "keep" ? change?.complaint : undefined;
  const honest = complaint === undefined ? withoutFailures(counted, question) : passedBut(complaint, counted);
  if (honest.verdict !== "done") return honest;
  yield* noteFlake(checked, record, question);
  const patch = yield* noteSuspicious(record, question);
  const confirmed = yield* confirm({ ...counted, ...reviewOf(change, spec, patch) }, record, question);
  // A check that passed on a retry counts as flaky from the next iteration on.
  record.isFlaky ||= checked.flaked ?? false;
  return confirmed.verdict === "done" ? yield* testInFreshClone(confirmed, record, question) : confirmed;
}

/** Before any agent call: the baseline of a check that ran no test says nothing about the work. */
function ofBaseline(checked: Checked, record: CheckRecord, question: CheckQuestion): Checked {
  const { answer } = checked;
  const { exitCode, tail = "", tests } = answer ?? {};
  record.before = tests;
  record.last = tests;
  const honest = withoutFailures(checked, question);
  noteVerdict(record, question.checking.tree, honest.verdict === "done");
  const { ranNoTest, whyNoTests } = afterCheck.get();
  const why = whyNoTests({ exitCode, output: tail, tests });
  if (why !== undefined && !question.spec.rarelyBroken)
    return { ...checked, verdict: "go-on", broken: true, because: `it reached no test: \`${why}\`` };
  if (exitCode !== 0 || !ranNoTest(tests)) return honest;
  return { ...checked, verdict: "go-on", broken: true, because: "it passed without running a test" };
}

/** True for the first result of a check. If a baseline without tests ends the run, that end says it. */
const isFirstTime = ({ spec, iteration, checking }: CheckQuestion, { before }: CheckRecord): boolean =>
  spec.rarelyBroken && checking.node.baseline
    ? iteration.number === 0
    : iteration.number === 1 && before === undefined;

/** The agent may still have to write the tests or what runs them: only a person can decide. */
function* noteNoTests({ answer }: Checked, { path, spec }: CheckQuestion): Operation<void> {
  const { exitCode, tail = "", tests } = answer ?? {};
  const isMissing = spec.rarelyBroken === true && (exitCode === 126 || exitCode === 127);
  const last = tail.trimEnd().split("\n").at(-1)?.trim().slice(0, 200) ?? "";
  const { whyNoTests } = afterCheck.get();
  const why = whyNoTests({ exitCode, output: tail, tests }) ?? (isMissing && !tests ? last : undefined);
  if (why === undefined) return;
  const message = `the check reached no test: \`${why}\`; if the agent is not supposed to fix that, correct the check`;
  yield* emit({ type: "notice", code: "NO_TEST_REACHED", message, path });
}

function changeOf(
  { before }: CheckRecord,
  after: TestInventory | undefined,
  { checking }: CheckQuestion,
): TestChange | undefined {
  if (before === undefined) return undefined;
  return compareTests({
    before,
    after,
    // Whoever lets the agent change files may mean tests.
    fixed:
      checking.node.guard?.tests === true &&
      checking.node.guard.allow.length === 0 &&
      checking.base !== undefined,
  });
}

/** Tests that are missing, or assertions in them, without an explanation: a person decides. */
export function reviewOf(
  change: TestChange | undefined,
  { tests }: CheckQuestion["spec"],
  patch: string,
): Pick<Checked, "review"> {
  if (tests !== "review" || change === undefined) return {};
  const lost = patch === "" ? [] : afterCheck.get().lostAssertions(patch);
  // Names that the source makes up change with it, unless the change could have brought the new ones itself.
  const isRenamed = change.isRenamed && patch !== "" && !/^new file mode /m.test(patch);
  const because =
    (isRenamed ? undefined : change.complaint) ??
    (lost.length > 0 ? `tests have fewer assertions: ${lost.slice(0, 5).join(", ")}` : undefined);
  return because === undefined ? {} : { review: [{ kind: "tests", because, tests: [...change.gone] }] };
}

function withCounts(
  checked: Checked,
  after: TestInventory | undefined,
  change: TestChange | undefined,
): Checked {
  if (after === undefined) return checked;
  const { passed, failed, skipped } = after;
  const names = { gone: change?.gone ?? [], new: change?.new ?? [] };
  return { ...checked, tests: { ran: passed + failed, passed, failed, skipped, ...names } };
}

/**
 * Emits a notice for added lines that may make a check green without the work. They do not affect the verdict. Returns
 * the change.
 */
function* noteSuspicious(
  { before }: CheckRecord,
  { checking, path, context }: CheckQuestion,
): Operation<string> {
  const { base, commit } = checking;
  if (base === undefined || commit === undefined || base === commit) return "";
  const ask = { op: "diff", from: base, to: commit, most: 500_000 } as const;
  const { patch = "" } = yield* askWorkspace({ ...context, path }, "diff", ask);
  const { endingLines, silencingLines, suspiciousLines } = afterCheck.get();
  const kinds = [
    ["may tell tests from real use", suspiciousLines(patch)],
    ["keeps a tool of the check from reporting", silencingLines(patch, checking.tools)],
    // If the tests were counted, fewer of them do not count as green.
    ["may end the check before it has failed", before === undefined ? endingLines(patch) : []],
  ] as const;
  for (const [what, lines] of kinds) {
    if (lines.length === 0) continue;
    const message = `the check is green, but the change ${what}: ${shownLines(lines)}`;
    yield* emit({ type: "notice", code: "SUSPICIOUS_CHANGE", message, path });
  }
  return patch;
}

function shownLines(lines: readonly SuspiciousLine[]): string {
  const shown = lines.slice(0, 5).map(({ file, text }) => `${file}: \`${text.slice(0, 120)}\``);
  const more = lines.length > shown.length ? ` and ${lines.length - shown.length} more` : "";
  return `${shown.join(", ")}${more}`;
}

function* noteFlake(
  checked: Checked,
  record: CheckRecord,
  { checking, path }: CheckQuestion,
): Operation<void> {
  const isNew = noteVerdict(record, checking.tree, checked.verdict === "done");
  if (!isNew) return;
  yield* emit({ type: "notice", code: "FLAKY_CHECK", message: flakyMessage, path });
}

const flakyMessage =
  "the check failed and passed on the same files: it is flaky, so it must pass twice before it counts as green";

/** Runs a green check again: as often as `confirm` requires, or once if it is known to be flaky. */
function* confirm(checked: Checked, record: CheckRecord, question: CheckQuestion): Operation<Checked> {
  const times = question.spec.confirm ?? (record.isFlaky ? 2 : 1);
  for (let time = 2; time <= times; time++) {
    const answered = yield* question.again(`${sideEffectPath(question.path, "confirm")}${time}`);
    const again = withoutFailures(answered, question);
    if (again.verdict === "done") continue;
    record.isFlaky = true;
    const failed = again.answer?.tests?.names?.failed ?? [];
    const names = failed.length === 0 ? "" : ` (${failed.slice(0, 5).join(", ")})`;
    const because = `it passed, then failed on the same files${names}: ${again.because}`;
    return { ...checked, ...again, verdict: "go-on", because };
  }
  return checked;
}
