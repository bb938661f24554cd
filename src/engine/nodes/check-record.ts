import type { LoopNode } from "../../plan/plan.ts";
import type { ReviewReason } from "../../ports/review-reason.ts";
import type { ShellAnswer } from "../../ports/shell.ts";
import type { TestInventory } from "../../ports/tests.ts";
import type { WorkspaceAnswer } from "../../ports/workspace.ts";
import type { ShellCheck } from "../../stops/shell-check.ts";
import type { Iteration, Verdict } from "../../stops/stop.ts";
import type { CleanResult, TestCounts } from "../event-parts.ts";
import type { ExecutionContext } from "../execution-context.ts";
import type { Operation } from "../operation.ts";

/** The state of one shell check of a loop. */
export interface CheckRecord {
  /** The tests that ran before the first iteration. */
  before: TestInventory | undefined;
  /** The tests that ran last. */
  last: TestInventory | undefined;
  /** The end of its last output. */
  tail: string;
  /** Trees on which the check was green, and on which it was red. */
  readonly green: Set<string>;
  readonly red: Set<string>;
  /** True if it was both green and red on the same tree. */
  isFlaky: boolean;
  /** The check's result in a fresh clone of the loop's first snapshot, once it has run there. */
  cleanBase: ShellAnswer | undefined;
  /** What a fresh clone needed besides, or could not do, before the first agent. */
  clone: "completed" | "unable" | undefined;
  /** True if that clone did what the checkout does, and nothing else: the check of the work may run there alone. */
  isEnough: boolean;
  /** The check's last result in a clone of the work that used nothing of an earlier one, and its commit. */
  cold: { readonly commit: string | undefined; readonly answer: ShellAnswer } | undefined;
}

/** Changes to protected files that were undone. */
export interface UndoneChanges {
  readonly files: readonly string[];
  /** The workspace with the changes. */
  readonly commit: string;
  /** The tree without them. */
  readonly tree: string | undefined;
}

/** What stops need to know about their loop to verify a green check. */
export interface Checking {
  readonly node: LoopNode;
  readonly records: Map<string, CheckRecord>;
  /** The loop's first snapshot, and the one under test; absent without git. */
  readonly base: string | undefined;
  readonly commit: string | undefined;
  readonly tree: string | undefined;
  /** The snapshot that the iteration started from. */
  readonly since: string | undefined;
  /** The agent's changes to protected files, undone before the check. */
  readonly undone: UndoneChanges | undefined;
  /** True if a person may be asked about them: the agent knows of them, or has no iteration left. */
  readonly mayAsk: boolean;
  /** Tools that the checks use, by name. */
  readonly tools: readonly string[];
  /** The task that people set. */
  readonly goal: string;
}

/** The verdict of a shell check, with the changes in its tests. */
export interface Checked extends Verdict {
  readonly tail?: string;
  /** The answer that the verdict is based on. */
  readonly answer?: ShellAnswer;
  /** True if it failed and then passed on the same tree. */
  readonly flaked?: boolean;
  readonly tests?: TestCounts;
  readonly clean?: CleanResult;
  /** Why a person should look at this green result. */
  readonly review?: readonly ReviewReason[];
  /** True if it passes only with changes that were undone. */
  readonly needsUndone?: true;
  /** The snapshot with these changes, which are now part of the work. */
  readonly kept?: Pick<WorkspaceAnswer, "commit" | "tree" | "diff">;
}

export interface CheckQuestion {
  readonly spec: ShellCheck;
  readonly iteration: Iteration;
  readonly path: string;
  readonly context: ExecutionContext;
  readonly checking: Checking;
  /** Runs the check once more, at its own path. */
  again(path: string): Operation<Checked>;
}

/** The record of a check, by its script. */
export function recordOf(records: Map<string, CheckRecord>, script: string): CheckRecord {
  const record = records.get(script) ?? {
    before: undefined,
    last: undefined,
    tail: "",
    green: new Set(),
    red: new Set(),
    isFlaky: false,
    cleanBase: undefined,
    clone: undefined,
    isEnough: false,
    cold: undefined,
  };
  records.set(script, record);
  return record;
}

/** Records the result of a check on a tree; returns whether that makes it flaky for the first time. */
export function noteVerdict(record: CheckRecord, tree: string | undefined, isGreen: boolean): boolean {
  if (tree === undefined) return false;
  (isGreen ? record.green : record.red).add(tree);
  const isNew = !record.isFlaky && record.green.has(tree) && record.red.has(tree);
  record.isFlaky ||= isNew;
  return isNew;
}

/** The part of a loop's state that concerns its checks. */
interface Remembered {
  readonly checks: Checking["records"];
  readonly base: string | undefined;
  readonly commit: string | undefined;
  readonly tools: readonly string[];
}

interface CheckedWork {
  readonly memory: Remembered;
  readonly kept: Pick<WorkspaceAnswer, "commit" | "tree">;
  readonly undone?: Checking["undone"];
  readonly mayAsk?: boolean;
}

/** The view of a loop's checks that its stops get. */
export const checkingOf = (
  node: LoopNode,
  context: ExecutionContext,
  { memory, kept, undone, mayAsk = false }: CheckedWork,
): Checking => ({
  node,
  records: memory.checks,
  base: memory.base,
  commit: kept.commit,
  tree: kept.tree,
  since: memory.commit,
  undone,
  mayAsk,
  tools: memory.tools,
  goal: goalOf(node, context),
});

/** The run's message, and the loop's own prompt, if it has one, as its author wrote it. */
export function goalOf({ body }: LoopNode, { message }: ExecutionContext): string {
  const prompt =
    body.kind === "agent"
      ? body.call.prompt.map((part) => (typeof part === "string" ? part : "…")).join("")
      : "";
  return [message, prompt].filter((part) => part.trim() !== "").join("\n\n");
}

/** Why a loop fails whose check says nothing about the work: `the check of fix reached no test: …`. */
export const brokenCheck = (loop: string, because: string): string =>
  because.startsWith("it ")
    ? `the check of ${loop} ${because.slice(3)}`
    : `the check of ${loop} gave no result: ${because}`;
