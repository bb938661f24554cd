import type { Binding } from "../expressions/template.ts";
import type { Json } from "../ports/json.ts";
import type { ExecutionContext, LoopFrame } from "./execution-context.ts";
import type { Outcome } from "./outcome.ts";

/** The value of a name bound by an expression, at a place of a run; `undefined` if it has none. */
export function resolveBinding(binding: Binding, context: ExecutionContext): Json | undefined {
  const { frame } = context;
  switch (binding.of) {
    case "iteration":
      return frame === undefined || frame.item !== undefined ? undefined : frame.number - 1 + binding.from;
    case "item":
      return frame?.item;
    case "index":
      return frame?.item === undefined ? undefined : frame.number - 1;
    case "nodes":
      return Object.fromEntries(
        binding.ids.flatMap((id) => {
          const outcome = context.outcome(id);
          return outcome === undefined ? [] : [[id, shown(outcome)] as const];
        }),
      );
    case "content":
    case "result":
    case "status":
      return (iterationOf(frame) ?? nodeOf(binding.nodes, context))?.[binding.of];
  }
}

/** An outcome as expressions see it. */
type Shown = Readonly<Record<"content" | "result" | "status", Json>>;

function shown(outcome: Outcome): Shown {
  const content = "output" in outcome ? outcome.output : "";
  const result = outcome.status === "completed" ? outcome.result : undefined;
  return { content, result: result ?? {}, status: outcome.status };
}

/** The iteration that has just ended, else the previous one. */
function iterationOf(frame: LoopFrame | undefined): Shown | undefined {
  const { output, result } = frame?.output === undefined ? (frame?.last ?? {}) : frame;
  return output === undefined ? undefined : { content: output, result: result ?? {}, status: "completed" };
}

/** The last node that completed. */
function nodeOf(ids: readonly string[], context: ExecutionContext): Shown | undefined {
  const outcomes = ids.flatMap((id) => context.outcome(id) ?? []);
  const last = outcomes.findLast(({ status }) => status === "completed");
  return last && shown(last);
}
