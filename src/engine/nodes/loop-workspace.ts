import type { LoopNode } from "../../plan/plan.ts";
import type { WorkspaceAnswer, WorkspaceRequest } from "../../ports/workspace.ts";
import { type Flow, need, tell, Unmet } from "../flow.ts";
import type { Here } from "../here.ts";
import { type Failed, failed, type Outcome } from "../outcome.ts";
import { besides, iterationOf } from "../path.ts";
import type { Memory } from "./memory.ts";
import { variablesAt } from "./shell.ts";

export type Snapshot = Pick<WorkspaceAnswer, "commit" | "tree" | "diff">;

/** The failure of a loop that asks for what only a git repository can give. */
export function protectsNothing({ id, protect: globs, best }: LoopNode, { facts }: Here): Failed | undefined {
  if (facts.snapshots || (globs.length === 0 && best === undefined)) return undefined;
  const what = globs.length > 0 ? "protect" : "keep: best";
  return failed(
    "node-failed",
    `loop ${id} uses ${what}, which needs a git repository: run \`git init\` and commit first`,
  );
}

/** The workspace as the loop finds it. */
export const snapshotBase = (here: Here): Flow<Snapshot> =>
  snapshot(
    { ...here, path: iterationOf(here.path, 0) },
    { since: undefined, message: "before the first iteration" },
  );

/** Keeps the workspace as a commit; a run goes on without one where that fails, and says so. */
export function* snapshot(
  here: Here,
  { since, message }: { readonly since: string | undefined; readonly message: string },
): Flow<Snapshot> {
  if (!here.facts.snapshots) return {};
  try {
    const kept = yield* askWorkspace(here, "snapshot", { op: "snapshot", since, message });
    const { withheld = [], nested = [] } = kept;
    if (withheld.length > 0) {
      const said = `files that hold a key or a token are left as they were in what is kept: ${withheld.join(", ")}`;
      yield* tell({ type: "notice", code: "SECRET_WITHHELD", message: said, path: here.path });
    }
    if (nested.length > 0) {
      const said = `folders that are git repositories of their own are kept without their files: ${nested.join(", ")}`;
      yield* tell({ type: "notice", code: "NESTED_REPOSITORY", message: said, path: here.path });
    }
    return kept;
  } catch (error) {
    if (!(error instanceof Unmet)) throw error;
    yield* tell({ type: "notice", code: "SNAPSHOT_FAILED", message: error.message, path: here.path });
    return {};
  }
}

/** Puts protected files back before the stops look; a loop whose files cannot be put back fails as tampered. */
export function* protect(node: LoopNode, here: Here, base: string | undefined): Flow<Failed | undefined> {
  if (node.protect.length === 0) return undefined;
  if (base === undefined)
    return failed("tampered", "the protected files could not be kept, so they cannot be put back");
  try {
    const ask = { op: "protect", commit: base, globs: node.protect } as const;
    const { restored = [] } = yield* askWorkspace(here, "protect", ask);
    if (restored.length > 0) {
      const message = `the agent changed protected files; they are put back: ${restored.join(", ")}`;
      yield* tell({ type: "notice", code: "TAMPERED", message, path: here.path });
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof Unmet)) throw error;
    return failed("tampered", `protected files could not be put back: ${error.message}`);
  }
}

interface Measured {
  readonly memory: Memory;
  readonly number: number;
  readonly output: string;
  readonly commit: string | undefined;
}

/** Measures an iteration by the author's metric and remembers the best. */
export function* measure(
  node: LoopNode,
  here: Here,
  { memory, number, output, commit }: Measured,
): Flow<void> {
  if (node.best === undefined || commit === undefined) return;
  const { metric, direction } = node.best;
  const ask = {
    role: "metric",
    script: metric.script,
    env: variablesAt(metric, here),
    timeoutMs: undefined,
  } as const;
  const { exitCode, stdout } = yield* need("shell", besides(here.path, "metric"), {
    ask,
    workspace: here.workspace,
  });
  const value = Number(stdout.trim().split("\n").at(-1) || Number.NaN);
  if (exitCode !== 0 || !Number.isFinite(value)) {
    const message = `the metric of iteration ${number} gave no number; it cannot be the best`;
    return yield* tell({ type: "notice", code: "NO_METRIC", message, path: here.path });
  }
  const { best } = memory;
  const better = best === undefined || (direction === "max" ? value > best.value : value < best.value);
  if (better) memory.best = { number, value, commit, output };
}

interface Closing {
  readonly memory: Memory;
  readonly outcome: Outcome;
}

/** Puts the best iteration's workspace back where no stop chose another. */
export function* keepBest(node: LoopNode, here: Here, { memory, outcome }: Closing): Flow<Outcome> {
  const { best } = memory;
  const chosen = outcome.status === "completed" && outcome.reason !== "iterations-done";
  if (node.best === undefined || best === undefined || chosen) return outcome;
  if (best.commit !== memory.commit) {
    yield* askWorkspace(here, "restore", { op: "restore", commit: best.commit });
  }
  const message = `kept iteration ${best.number}, the best by its metric (${best.value})`;
  yield* tell({ type: "notice", code: "KEPT_BEST", message, path: here.path });
  return outcome.status === "completed" && node.output === "last"
    ? { ...outcome, output: best.output }
    : outcome;
}

/** Asks the workspace one thing, beside the body at a path. */
export const askWorkspace = (
  here: Here,
  what: "snapshot" | "protect" | "restore" | "fork" | "join",
  ask: WorkspaceRequest,
): Flow<WorkspaceAnswer> => need("workspace", besides(here.path, what), { ask, workspace: here.workspace });
