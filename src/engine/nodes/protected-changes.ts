import type { LoopNode } from "../../plan/plan.ts";
import type { ExecutionContext } from "../execution-context.ts";
import { gateText } from "../gate-text.ts";
import { emit, type Operation } from "../operation.ts";
import type { Failed } from "../outcome.ts";
import { sideEffectPath } from "../path.ts";
import { openGate } from "./approval.ts";
import type { LoopState } from "./loop-state.ts";
import { askWorkspace, inspect, protect, snapshot } from "./loop-workspace.ts";

/** Restores protected files. If the author allows it, a person may accept the agent's changes to them. */
export function* guardFiles(
  node: LoopNode,
  context: ExecutionContext,
  memory: LoopState,
): Operation<Failed | undefined> {
  if (node.protected === "allow") return undefined;
  const isAsked = node.onProtectedChange === "gate";
  const changed = isAsked ? yield* keep(context, "changed", memory.commit) : undefined;
  const end = yield* protect(node, context, memory);
  if ("status" in end) return end;
  const { restored } = end;
  if (restored.length === 0) return undefined;
  memory.undone =
    end.changed === undefined ? undefined : { files: restored, commit: end.changed, tree: undefined };
  if (changed !== undefined && (yield* isApproved({ node, context, memory, restored, changed })))
    return undefined;
  const message = `the agent changed protected files; they were restored: ${restored.join(", ")}`;
  yield* emit({ type: "notice", code: "TAMPERED", message, path: context.path });
  return undefined;
}

interface Change {
  readonly node: LoopNode;
  readonly context: ExecutionContext;
  readonly memory: LoopState;
  readonly restored: readonly string[];
  /** The snapshot with the changes. */
  readonly changed: string;
}

const mostOfPatch = 20_000;

/**
 * Asks a person whether changes to protected files are accepted. Accepted ones become the protected state of later
 * iterations.
 */
function* isApproved({ node, context, memory, restored, changed }: Change): Operation<boolean> {
  const without = yield* keep(context, "kept", memory.commit);
  if (without === undefined) return false;
  const ask = { op: "diff", from: without, to: changed, most: mostOfPatch } as const;
  const { patch = "" } = yield* askWorkspace(context, "diff", ask);
  // Files that git ignores are in no snapshot, so their changes cannot be accepted.
  if (patch.trim() === "") return false;
  const texts = gateText({
    message: `The agent changed protected files: ${restored.join(", ")}. They are restored now.`,
    run: context.facts.run,
    patch,
    note: "Approve to keep these changes; reject to continue without them.",
  });
  const path = sideEffectPath(context.path, "protected");
  const { decision, text } = yield* openGate(node.id, path, texts);
  if (text !== "") memory.userInput = text;
  if (decision === "reject") return false;
  yield* askWorkspace(context, "restore", { op: "restore", commit: changed });
  memory.protectedBase = changed;
  yield* inspect(node, context, changed);
  return true;
}

function* keep(context: ExecutionContext, what: "changed" | "kept", since: string | undefined) {
  const at = { ...context, path: sideEffectPath(context.path, what) };
  return (yield* snapshot(at, { since, message: `protected files, ${what}` })).commit;
}
