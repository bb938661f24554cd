import type { ReviewReason } from "../../ports/review-reason.ts";
import type { Operation } from "../operation.ts";
import { sideEffectPath } from "../path.ts";
import { type Checked, type CheckQuestion, recordOf, type UndoneChanges } from "./check-record.ts";
import { checkInClone } from "./fresh-clone.ts";
import type { LoopState } from "./loop-state.ts";
import { askWorkspace, snapshot } from "./loop-workspace.ts";
import { verifyCheck } from "./verify-green.ts";

/** The changes undone in this iteration, or in an earlier one if the agent has changed nothing since. */
export function undoneChanges(memory: LoopState, tree: string | undefined): UndoneChanges | undefined {
  const { undone } = memory;
  if (undone === undefined) return undefined;
  if (undone.tree !== undefined) return undone.tree === tree ? undone : undefined;
  memory.undone = { ...undone, tree };
  return memory.undone;
}

/** Runs a check and verifies its verdict, without and, if it needs them, with the changes that were undone. */
export function* testCheck(question: CheckQuestion): Operation<Checked> {
  const first = (yield* checkInClone(question)) ?? (yield* question.again(question.path));
  return yield* tryWithChanges(yield* verifyCheck(first, question), question);
}

/**
 * Judges changes to protected files by their effect. If the check fails without them, it is tried once with them: if it
 * passes, the agent gets one more try, and then a person decides.
 */
function* tryWithChanges(without: Checked, question: CheckQuestion): Operation<Checked> {
  const { checking, path, context, spec } = question;
  const { undone, commit } = checking;
  if (without.verdict === "done" || undone === undefined || commit === undefined) return without;
  const at = { ...context, path: sideEffectPath(path, "with") };
  yield* askWorkspace(at, "restore", { op: "restore", commit: undone.commit });
  const tried = yield* question.again(at.path);
  const record = recordOf(checking.records, spec.script.script);
  const { last, tail } = record;
  const judged =
    tried.verdict !== "done"
      ? without
      : checking.mayAsk
        ? yield* accept(tried, undone, { ...question, path: at.path })
        : needsChanges(without, undone);
  if (judged.verdict === "done") return judged;
  Object.assign(record, { last, tail });
  yield* askWorkspace({ ...context, path }, "restore", { op: "restore", commit });
  return judged;
}

/** Tells the agent what was undone, and what it can do. */
function needsChanges({ broken: _, because, ...without }: Checked, { files }: UndoneChanges): Checked {
  const names = files.length > 5 ? `${files.slice(0, 5).join(", ")} and more` : files.join(", ");
  const advice = "find another way; if there is none, make these changes again, and a person reviews them";
  return {
    ...without,
    verdict: "go-on",
    because: `it passes only with your changes to protected files, which were undone (${names}): ${advice}. Without them: ${because}`,
    needsUndone: true,
  };
}

/** Verifies the check with the changes; a person decides about them. */
function* accept(tried: Checked, undone: UndoneChanges, question: CheckQuestion): Operation<Checked> {
  const { checking, path, iteration } = question;
  const context = { ...question.context, path };
  const message = `${checking.node.id}, iteration ${iteration.number}`;
  const kept = yield* snapshot(context, { since: checking.since, message });
  if (kept.commit === undefined) return { ...tried, verdict: "go-on", because: "its changes were not saved" };
  const verified = yield* verifyCheck(tried, { ...question, checking: { ...checking, ...kept } });
  const reasons = yield* reasonsFor(undone, { ...question, kept: kept.commit });
  return { ...verified, kept, review: [...reasons, ...(verified.review ?? [])] };
}

const mostOfPatch = 40_000;
const mostOfFile = 8_000;

function* reasonsFor(
  { files }: UndoneChanges,
  { checking, context, path, kept }: CheckQuestion & { readonly kept: string },
): Operation<readonly ReviewReason[]> {
  const ask = { op: "diff", from: checking.commit ?? kept, to: kept, most: mostOfPatch } as const;
  const at = { ...context, path: sideEffectPath(path, "protected") };
  const { patch = "" } = yield* askWorkspace(at, "diff", ask);
  const parts = patch.split(/^(?=diff --git )/m);
  return files.map((file) => {
    const part = parts.find((one) => one.startsWith(`diff --git a/${file} b/${file}\n`));
    const isKept = part !== undefined && part.length <= mostOfFile;
    return { kind: "protected-file", file, ...(isKept ? { patch: part } : {}) };
  });
}
