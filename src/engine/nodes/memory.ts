import type { LoopNode } from "../../plan/plan.ts";
import type { Json } from "../../ports/json.ts";
import { fingerprint } from "../../stops/no-progress.ts";
import type { Entry, Frame, Here } from "../here.ts";
import type { Outcome } from "../outcome.ts";

/** What a loop remembers from one iteration to the next. */
export interface Memory {
  previous: string;
  previousOutcomes: ReadonlyMap<string, Outcome>;
  result: Json | undefined;
  session: string | undefined;
  userInput: string;
  check: string;
  /** Every output, where the author asked for them. */
  readonly outputs: string[];
  /** The newest commit of the workspace, and the one the loop began with. */
  commit: string | undefined;
  readonly base: string | undefined;
  /** Trees and failures seen, and how many iterations brought neither anew. */
  readonly seen: Set<string>;
  idle: number;
  best: Best | undefined;
  /** The last iteration that went well, node by node, and all of them where the loop keeps its history. */
  last: Entry | undefined;
  readonly entries: Entry[];
  /** What each stop last said. */
  said: readonly string[];
  /** What each node wanted to know in the iteration to come. */
  notes: ReadonlyMap<string, string>;
}

interface Best {
  readonly number: number;
  readonly value: number;
  readonly commit: string;
  readonly output: string;
}

export const openMemory = (base: { readonly commit?: string; readonly tree?: string }): Memory => ({
  previous: "",
  previousOutcomes: new Map(),
  result: undefined,
  session: undefined,
  userInput: "",
  check: "",
  outputs: [],
  commit: base.commit,
  base: base.commit,
  seen: new Set(base.tree === undefined ? [] : [base.tree]),
  idle: 0,
  best: undefined,
  last: undefined,
  entries: [],
  said: [],
  notes: new Map(),
});

export const separator = "\n---\n";

/** What an iteration's texts see of the loop. */
export const frameOf = (
  node: LoopNode,
  memory: Memory,
  { number, here }: { readonly number: number; readonly here: Here },
): Frame => ({
  outer: here.frame,
  loop: node.id,
  number,
  previous: memory.previous,
  previousOutcomes: memory.previousOutcomes,
  userInput: memory.userInput,
  check: memory.check,
  outputs: memory.outputs,
  last: memory.last,
  accumulated: node.accumulate === undefined ? {} : { [node.accumulate]: memory.outputs.join(separator) },
  calls: {
    completes: signalOf(node, "signal"),
    fails: signalOf(node, "fail-signal"),
    given: new Set(),
    notes: memory.notes,
    noted: new Map(),
  },
});

function signalOf({ stops }: LoopNode, kind: "signal" | "fail-signal"): string | undefined {
  const stop = stops.find((one) => one.kind === kind);
  return stop !== undefined && "text" in stop ? stop.text : undefined;
}

/** Counts the iterations that brought neither a new workspace nor a new failure; the count as it stands. */
export function countIdle(
  memory: Memory,
  {
    tree,
    check,
    output,
  }: { readonly tree: string | undefined; readonly check: string; readonly output: string },
): number {
  const marks = [
    tree ?? `said ${fingerprint(output)}`,
    ...(check === "" ? [] : [`failed ${fingerprint(check)}`]),
  ];
  const isNew = marks.some((mark) => !memory.seen.has(mark));
  for (const mark of marks) memory.seen.add(mark);
  memory.idle = isNew ? 0 : memory.idle + 1;
  return memory.idle;
}
