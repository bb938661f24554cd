import type { Node } from "../../plan/plan.ts";
import type { ExecutionContext } from "../execution-context.ts";
import { emit, type Operation } from "../operation.ts";
import { failed, type Outcome, outputOf } from "../outcome.ts";
import { sideEffectPath } from "../path.ts";
import { snapshot } from "./loop-workspace.ts";

type Attempt = (context: ExecutionContext) => Operation<Outcome>;

/** Runs an attempt at a node. A read-only node fails if it changed the checkout. */
export function* runWatched(node: Node, context: ExecutionContext, run: Attempt): Operation<Outcome> {
  if (node.readOnly === true && !context.isReading) return yield* runReadOnly(node, context, run);
  if (context.isReading || !works.has(node.kind)) return yield* run(context);
  const { activity } = context;
  activity.started += 1;
  activity.running += 1;
  try {
    return yield* run(context);
  } finally {
    activity.running -= 1;
  }
}

const works: ReadonlySet<Node["kind"]> = new Set<Node["kind"]>(["agent", "script", "shell"]);

function* runReadOnly(node: Node, context: ExecutionContext, run: Attempt): Operation<Outcome> {
  const { activity, path } = context;
  const at = (when: "before" | "after") => ({ ...context, path: sideEffectPath(path, when) });
  const message = `around ${node.id}`;
  const before = yield* snapshot(at("before"), { since: undefined, message });
  const { running, started } = activity;
  const outcome = yield* run({ ...context, isReading: true });
  if (before.commit === undefined || outcome.status === "skipped") return outcome;
  const { tree, diff } = yield* snapshot(at("after"), { since: before.commit, message });
  if (tree === undefined || tree === before.tree) return outcome;
  const files = diff?.paths.join(", ") || "files of the checkout";
  if (running === 0 && activity.started === started) {
    const text = `files of the checkout changed while it ran, although it must not change them: ${files}`;
    return { ...failed("node-failed", text, outputOf(outcome)), permanent: true };
  }
  const unclear = `files changed while ${node.id} ran, which must not change the checkout; another node may have changed them: ${files}`;
  yield* emit({ type: "notice", code: "CHECKOUT_CHANGED", message: unclear, path });
  return outcome;
}
