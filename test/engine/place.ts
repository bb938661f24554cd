import type { ExecutionContext, LoopFrame } from "../../src/engine/execution-context.ts";
import type { Outcome } from "../../src/engine/outcome.ts";
import { scopeAt } from "../../src/engine/scope.ts";
import type { Json } from "../../src/ports/json.ts";

/** A node that completed. */
export const done = (output: string, result?: Json): Outcome => ({
  status: "completed",
  output,
  ...(result === undefined ? {} : { result }),
});

/** Nodes that ended in every way. */
export const outcomes: Readonly<Record<string, Outcome>> = {
  plain: done("said plain"),
  json: done('{"n": 1, "none": null}'),
  typed: done("said typed", { n: 2, none: null }),
  broken: { status: "failed", reason: "node-failed", because: "no key", output: "half" },
  skipped: { status: "skipped", because: "its condition is false", byFailure: false },
  cancelled: { status: "cancelled", because: "the run was cancelled" },
};

/** An iteration of a loop. */
export const frame = (more: Partial<LoopFrame> = {}): LoopFrame => ({
  outer: undefined,
  loop: "fix",
  number: 3,
  previous: "before",
  previousOutcomes: new Map(),
  userInput: "be brief",
  check: "exit 1",
  accumulated: {},
  ...more,
});

/** What texts and expressions mean at a place of a run. */
export function at(more: Partial<ExecutionContext> = {}) {
  return scopeAt({
    facts: {
      run: "run-1",
      artifacts: "/artifacts",
      base_branch: "main",
      docs_dir: "docs/",
      issue: { number: 7, by: "ann", title: "Broken", body: "It broke." },
      series: { notes: "a note", history: "run 1 failed", conflicts: [] },
    },
    message: "fix it",
    inputs: { who: "ann", "max-size": "5" },
    outcome: (id: string) => outcomes[id],
    published: (name: string) => (name === "history" ? "one\n---\ntwo" : undefined),
    frame: undefined,
    ...more,
  } as unknown as ExecutionContext);
}
