import type { Binding } from "../expr/text.ts";
import type { Json } from "../ports/json.ts";
import type { Frame, Here } from "./here.ts";
import type { Outcome } from "./outcome.ts";

/** What a name that an expression binds stands for at a place of a run; `undefined` where nothing does. */
export function boundAt(binding: Binding, here: Here): Json | undefined {
  const { frame } = here;
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
          const outcome = here.outcome(id);
          return outcome === undefined ? [] : [[id, shown(outcome)] as const];
        }),
      );
    case "content":
    case "result":
    case "status":
      return (iterationOf(frame) ?? nodeOf(binding.nodes, here))?.[binding.of];
  }
}

/** How an outcome looks to an expression. */
type Shown = Readonly<Record<"content" | "result" | "status", Json>>;

function shown(outcome: Outcome): Shown {
  const content = "output" in outcome ? outcome.output : "";
  const result = outcome.status === "completed" ? outcome.result : undefined;
  return { content, result: result ?? {}, status: outcome.status };
}

/** The iteration that has just ended, or else the one before. */
function iterationOf(frame: Frame | undefined): Shown | undefined {
  const { output, result } = frame?.output === undefined ? (frame?.last ?? {}) : frame;
  return output === undefined ? undefined : { content: output, result: result ?? {}, status: "completed" };
}

/** Of the nodes, the last one that completed. */
function nodeOf(ids: readonly string[], here: Here): Shown | undefined {
  const outcomes = ids.flatMap((id) => here.outcome(id) ?? []);
  const last = outcomes.findLast(({ status }) => status === "completed");
  return last && shown(last);
}
