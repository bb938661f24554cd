import { boundScript } from "../../expressions/render.ts";
import { type Scope, UnresolvedError } from "../../expressions/scope.ts";
import type { LoopNode } from "../../plan/plan.ts";
import type { WorkspaceAnswer, WorkspaceRequest } from "../../ports/workspace.ts";
import type { ExecutionContext } from "../execution-context.ts";
import { EffectFailedError, emit, type Operation, perform } from "../operation.ts";
import { type Failed, failed, type Outcome } from "../outcome.ts";
import { iterationOf, sideEffectPath } from "../path.ts";
import { scopeAt } from "../scope.ts";
import { guardFor } from "./clone-runs.ts";
import { frameOf, type LoopState } from "./loop-state.ts";

export type IterationSnapshot = Pick<WorkspaceAnswer, "commit" | "tree" | "diff">;

/** The failure of a loop that needs a git repository and has none. */
export function protectsNothing(
  { id, protect: globs, best }: LoopNode,
  { facts }: ExecutionContext,
): Failed | undefined {
  if (facts.snapshots || (globs.length === 0 && best === undefined)) return undefined;
  const what = globs.length > 0 ? "protect" : "keep: best";
  return failed(
    "node-failed",
    `loop ${id} uses ${what}, which needs a git repository: run \`git init\` and commit first`,
  );
}

/** The workspace as the loop finds it. */
export const snapshotBase = (context: ExecutionContext): Operation<IterationSnapshot> =>
  snapshot(
    { ...context, path: iterationOf(context.path, 0) },
    { since: undefined, message: "before the first iteration" },
  );

/** Commits the workspace. If that fails, the run continues and emits a notice. */
export function* snapshot(
  context: ExecutionContext,
  { since, message }: { readonly since: string | undefined; readonly message: string },
): Operation<IterationSnapshot> {
  if (!context.facts.snapshots) return {};
  try {
    const kept = yield* askWorkspace(context, "snapshot", { op: "snapshot", since, message });
    const news = noticesOf(kept).filter(([, text]) => !context.noticed.has(text));
    for (const [code, text] of news) {
      context.noticed.add(text);
      yield* emit({ type: "notice", code, message: text, path: context.path });
    }
    return kept;
  } catch (error) {
    if (!(error instanceof EffectFailedError)) throw error;
    yield* emit({ type: "notice", code: "SNAPSHOT_FAILED", message: error.message, path: context.path });
    return {};
  }
}

/** Notices about files that a snapshot could not store unchanged, as pairs of code and text. */
function noticesOf(kept: WorkspaceAnswer): readonly (readonly [string, string])[] {
  const { withheld, credentials, filtered, nested, large, pipes, unlocked, unreadable, stored } = kept;
  const lists = [
    ["CREDENTIALS_WITHHELD", "files with credentials are neither recorded nor published", credentials],
    [
      "FILTER_WITHHELD",
      "changes are neither recorded nor published, because git stores these files through a filter that until-green does not run",
      filtered,
    ],
    ["SECRET_WITHHELD", "files that contain a key or a token are stored in their previous version", withheld],
    ["NESTED_REPOSITORY", "nested git repositories are stored without their files", nested],
    ["PIPE_REMOVED", "git waited for named pipes, which were removed", pipes],
    ["UNREADABLE_FILE", "files that nobody could read were made readable for their owner", unlocked],
    [
      "UNREADABLE_FILE",
      "files of other users that cannot be read are stored in their previous version",
      unreadable,
    ],
  ] as const;
  return [
    ...lists.flatMap(([code, text, paths = []]) =>
      paths.length === 0 ? [] : [[code, `${text}: ${paths.join(", ")}`] as const],
    ),
    ...(large === undefined ? [] : [["LARGE_FILE", largeText(large)] as const]),
    ...(stored === undefined ? [] : [["LARGE_SNAPSHOTS", storedText(stored)] as const]),
  ];
}

/** What happens to large files, and what to do about them. */
function largeText(large: NonNullable<WorkspaceAnswer["large"]>): string {
  const each = large.map(({ path, size, kept }) => {
    const name = `${path} (${Math.round(size / 1_000_000)} MB)`;
    return kept ? `${name} is stored again after each change` : `${name} is stored in its previous version`;
  });
  return `${each.join("; ")}; GitHub accepts no file over 100 MiB: list it in .gitignore, or use Git LFS`;
}

const storedText = (bytes: number) =>
  `the snapshots of this run take ${(bytes / 1e9).toFixed(1)} GB: list large files that change in .gitignore, and remove the run's folder once it has ended`;

/** Prepares the workspace to protect the loop; returns the tools that its checks use. */
export function* inspect(
  node: LoopNode,
  context: ExecutionContext,
  base: string | undefined,
): Operation<readonly string[]> {
  if (node.guard === undefined || base === undefined) return [];
  const ask = { op: "inspect", commit: base, globs: node.protect, guard: guardFor(node) } as const;
  const { tools = [], uncopied = [] } = yield* askWorkspace(context, "inspect", ask);
  if (uncopied.length > 0) {
    const message = `protected files that git ignores are too large to be copied, so a change of them ends the loop: ${uncopied.join(", ")}`;
    yield* emit({ type: "notice", code: "PROTECTED_NOT_COPIED", message, path: context.path });
  }
  return tools;
}

/**
 * Restores protected files before the stops are tested; returns which ones had changed. If they cannot be restored,
 * the loop fails as tampered.
 */
export function* protect(
  node: LoopNode,
  context: ExecutionContext,
  { protectedBase: base, commit: since }: Pick<LoopState, "protectedBase" | "commit">,
): Operation<Failed | { readonly restored: readonly string[]; readonly changed?: string | undefined }> {
  const isGuarded = node.guard !== undefined && context.facts.snapshots;
  if (node.protect.length === 0 && !isGuarded) return { restored: [] };
  if (base === undefined)
    return failed("tampered", "the protected files could not be saved, so they cannot be restored");
  try {
    const guard = isGuarded ? { guard: guardFor(node) } : {};
    const saved = node.protected === "review" && since !== undefined ? { since } : {};
    const ask = { op: "protect", commit: base, globs: node.protect, ...guard, ...saved } as const;
    const { restored = [], changed } = yield* askWorkspace(context, "protect", ask);
    return { restored, changed };
  } catch (error) {
    if (!(error instanceof EffectFailedError)) throw error;
    return failed("tampered", `protected files could not be restored: ${error.message}`);
  }
}

interface Measured {
  readonly memory: LoopState;
  readonly number: number;
  readonly output: string;
  readonly commit: string | undefined;
  readonly scope: Scope;
}

/** Measures the workspace as the loop finds it: an iteration must be better to be kept. */
export function* measureStart(node: LoopNode, context: ExecutionContext, memory: LoopState): Operation<void> {
  if (!node.best?.fromStart) return;
  const scope = scopeAt({ ...context, frame: frameOf(node, memory, { number: 0, context }) });
  const commit = memory.base;
  try {
    yield* measure(node, context, { memory, number: 0, output: "", commit, scope });
  } catch (error) {
    // It reads an answer, and there is none yet.
    if (!(error instanceof UnresolvedError)) throw error;
    const message = `the metric of the start cannot be measured: ${error.message}`;
    yield* emit({ type: "notice", code: "NO_METRIC", message, path: context.path });
  }
}

/** Measures an iteration by the author's metric and remembers the best. */
export function* measure(
  node: LoopNode,
  context: ExecutionContext,
  { memory, number, output, commit, scope }: Measured,
): Operation<void> {
  if (node.best === undefined || commit === undefined) return;
  const { metric, direction } = node.best;
  const { path, workspace, attempt } = context;
  const ask = { role: "metric", ...boundScript(metric, scope), timeoutMs: undefined } as const;
  const answer = yield* perform("shell", sideEffectPath(path, "metric"), { ask, workspace });
  const { exitCode, stdout } = answer;
  const value = Number(stdout.trim().split("\n").at(-1) || Number.NaN);
  const isNumber = exitCode === 0 && Number.isFinite(value);
  if (attempt !== undefined) attempt.metric = isNumber ? value : undefined;
  if (!isNumber) {
    const what = number === 0 ? "the start" : `iteration ${number}`;
    const message = `the metric of ${what} printed no number, so it cannot be the best`;
    return yield* emit({ type: "notice", code: "NO_METRIC", message, path: context.path });
  }
  const { best } = memory;
  const better = best === undefined || (direction === "max" ? value > best.value : value < best.value);
  if (better) memory.best = { number, value, commit, output };
}

interface Closing {
  readonly memory: LoopState;
  readonly outcome: Outcome;
}

/** Restores the best iteration's workspace unless a stop chose another. */
export function* keepBest(
  node: LoopNode,
  context: ExecutionContext,
  { memory, outcome }: Closing,
): Operation<Outcome> {
  const { best } = memory;
  const chosen = outcome.status === "completed" && outcome.reason !== "iterations-done";
  if (node.best === undefined || best === undefined || chosen) return outcome;
  if (context.attempt !== undefined) context.attempt.metric = best.value;
  if (best.commit !== memory.commit) {
    yield* askWorkspace(context, "restore", { op: "restore", commit: best.commit });
  }
  const kept =
    best.number === 0 ? "the start: no iteration was better" : `iteration ${best.number}, the best`;
  const message = `kept ${kept} by its metric (${best.value})`;
  yield* emit({ type: "notice", code: "KEPT_BEST", message, path: context.path });
  if (best.number === 0 && outcome.status === "completed")
    return { ...outcome, output: "", reason: "nothing-to-do" };
  return outcome.status === "completed" && node.output === "last"
    ? { ...outcome, output: best.output }
    : outcome;
}

/** Performs one workspace effect at a path beside the body's. */
export const askWorkspace = (
  context: ExecutionContext,
  what: Parameters<typeof sideEffectPath>[1],
  ask: WorkspaceRequest,
): Operation<WorkspaceAnswer> =>
  perform("workspace", sideEffectPath(context.path, what), { ask, workspace: context.workspace });
