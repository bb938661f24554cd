import type { ShellAnswer } from "../../ports/shell.ts";
import { EffectFailedError, type Operation } from "../operation.ts";
import type { CheckQuestion, CheckRecord } from "./check-record.ts";
import { faultOf, isUnable, lacksSomething, noteCompleted, noteUnable } from "./clone-faults.ts";
import { complete, runBase } from "./clone-runs.ts";
import { wantsFreshClone } from "./fresh-clone.ts";

/**
 * Runs the check in a fresh clone before the first agent: says what a clone cannot do before anything is paid, and keeps
 * what it installs and compiles for the clone of the work.
 */
export function* prepareClone(record: CheckRecord, question: CheckQuestion): Operation<void> {
  if (!question.spec.clonesFirst || question.context.attempt !== undefined) return;
  if (!wantsFreshClone(question, record.before)) return;
  try {
    yield* tryClones(record, question);
  } catch (error) {
    // The clone of the work may still succeed, and says why not otherwise.
    if (!(error instanceof EffectFailedError)) throw error;
  }
}

function* tryClones(record: CheckRecord, question: CheckQuestion): Operation<void> {
  const { checking, path } = question;
  const base = yield* runBase(record, question, true);
  if (!lacksSomething(record, base)) return noteEnough(base, record, question);
  const completed = yield* complete(question, { commit: checking.base ?? "", answer: base, keep: true });
  if ((completed.clean?.copied ?? []).length > 0 && !lacksSomething(record, completed)) {
    record.cleanBase = completed;
    record.clone = "completed";
    noteEnough(completed, record, question);
    return yield* noteCompleted(completed, path);
  }
  if ((base.clean?.leftOut ?? []).length > 0 || !isUnable(record, { answer: base, base })) return;
  record.clone = "unable";
  yield* noteUnable(faultOf(base, record, question) ?? "it runs no test there", path);
}

/** With several checks, or several runs of one, the first would use up the clone. */
function noteEnough({ clean }: ShellAnswer, record: CheckRecord, { checking, spec }: CheckQuestion): void {
  const checks = checking.node.stops.filter(({ kind }) => kind === "until-bash");
  record.isEnough = checks.length === 1 && spec.stress === undefined && !clean?.leaves;
}
