import { defined } from "../../ports/defined.ts";
import type { ShellAnswer } from "../../ports/shell.ts";
import type { CheckGuard } from "../../ports/workspace.ts";
import { stops } from "../../stops/index.ts";
import { type Operation, perform } from "../operation.ts";
import { sideEffectPath } from "../path.ts";
import type { Checking, CheckQuestion, CheckRecord } from "./check-record.ts";

/** What to protect in a fresh clone: the tools and files that the checks of the loop use. */
export const guardFor = ({ stops: specs, guard }: Checking["node"]): CheckGuard => ({
  scripts: specs.flatMap((spec) => (spec.kind === "until-bash" ? [spec.script.script] : [])),
  allow: guard?.allow ?? [],
  tests: guard?.tests ?? false,
});

export interface CloneOf {
  readonly commit: string;
  readonly what: "clean" | "clean-first" | "clean-base" | "clean-cold" | "clean-again" | "clean-completed";
  /** Setup command; the author's if absent. */
  readonly setup?: string;
  readonly untouched?: true;
  readonly keep?: true;
}

/** Runs the check in a fresh clone. */
export function* runInClone(
  { spec, iteration, path, context, checking }: CheckQuestion,
  { commit, what, setup = spec.setup, untouched, keep }: CloneOf,
): Operation<ShellAnswer> {
  const clean = {
    commit,
    base: checking.base ?? commit,
    guard: guardFor(checking.node),
    ...defined({ setup, untouched, keep }),
  };
  const ask = { ...stops["until-bash"].ask(spec, iteration), clean };
  return yield* perform("shell", sideEffectPath(path, what), { ask, workspace: context.workspace });
}

interface Completing extends Omit<CloneOf, "what"> {
  /** What the clone did without these files. */
  readonly answer: ShellAnswer;
  readonly what?: CloneOf["what"];
}

/** Runs the check in a clone that also gets what nothing has touched. */
export function* complete(
  question: CheckQuestion,
  { answer: { clean }, what = "clean-completed", ...clone }: Completing,
): Operation<ShellAnswer> {
  // What could not be installed may have been there.
  const setup = clean?.failed || clean?.setup === undefined ? { setup: "" } : {};
  return yield* runInClone(question, { ...clone, what, untouched: true, ...setup });
}

/** The check in a clone of the loop's first snapshot. */
export function* runBase(record: CheckRecord, question: CheckQuestion, keep?: true): Operation<ShellAnswer> {
  const commit = question.checking.base ?? "";
  record.cleanBase ??= yield* runInClone(question, { commit, what: "clean-base", ...defined({ keep }) });
  return record.cleanBase;
}
