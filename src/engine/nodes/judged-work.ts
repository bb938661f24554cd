import type { TestInventory } from "../../ports/tests.ts";
import { readReview, reviewRequest } from "../../stops/review.ts";
import type { Evidence, Verdict } from "../../stops/stop.ts";
import type { ExecutionContext } from "../execution-context.ts";
import { EffectFailedError, emit, type Operation } from "../operation.ts";
import { sideEffectPath } from "../path.ts";
import { sendAgentRequest } from "./agent-request.ts";
import type { Checking, CheckRecord } from "./check-record.ts";
import { askWorkspace } from "./loop-workspace.ts";

interface CheckContext {
  readonly path: string;
  readonly context: ExecutionContext;
  readonly checking: Checking;
}

/** Maximum size of a patch in a judge's prompt, in characters. */
const most = 60_000;

/** What a judge is shown of an iteration's work. */
export function* gatherEvidence({ path, context, checking }: CheckContext): Operation<Evidence> {
  const { base, commit, records, goal } = checking;
  const known = [...records.values()];
  const patch =
    base === undefined || commit === undefined
      ? undefined
      : (yield* askWorkspace({ ...context, path }, "diff", { op: "diff", from: base, to: commit, most }))
          .patch;
  return {
    goal,
    patch,
    before: one(known, ({ before }) => before),
    after: one(known, ({ last }) => last),
    check: known.map(({ tail }) => tail).join("\n"),
  };
}

/** A value from the first check record that has one. */
const one = (known: readonly CheckRecord[], of: (record: CheckRecord) => TestInventory | undefined) =>
  known.map(of).find((tests) => tests !== undefined);

/** A judge may only read: its changes are reverted. */
export function* putTreeBack({
  path,
  context,
  checking,
}: Pick<CheckContext, "path" | "context"> & {
  readonly checking: Pick<Checking, "commit" | "tree">;
}): Operation<void> {
  const { commit, tree } = checking;
  if (commit === undefined || tree === undefined) return;
  const at = { ...context, path };
  const now = yield* askWorkspace(at, "judge", { op: "snapshot", since: commit, message: "after a judge" });
  if (now.tree === tree) return;
  yield* askWorkspace(at, "restore", { op: "restore", commit });
  const message = "the judge changed files; they were restored";
  yield* emit({ type: "notice", code: "JUDGE_CHANGED_FILES", message, path });
}

/** Asks the built-in reviewer to review work that the stops consider done. */
export function* reviewWork(at: CheckContext, iteration: number): Operation<Verdict> {
  const { context, checking } = at;
  const path = sideEffectPath(at.path, "review");
  const evidence = yield* gatherEvidence({ ...at, path });
  const request = reviewRequest(evidence, { node: checking.node.id, iteration });
  const verdict = yield* askReviewer(path, context, request);
  yield* putTreeBack({ ...at, path });
  yield* emit({ type: "stop.tested", path, kind: "judge", ...verdict });
  return verdict;
}

function* askReviewer(
  path: string,
  context: ExecutionContext,
  request: ReturnType<typeof reviewRequest>,
): Operation<Verdict> {
  try {
    const { verdict, because } = readReview(yield* sendAgentRequest(path, context, request));
    return { verdict, because };
  } catch (error) {
    if (!(error instanceof EffectFailedError) || error.reason === "budget") throw error;
    return { verdict: "go-on", because: `the reviewer could not be asked: ${error.message}` };
  }
}
