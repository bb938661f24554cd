import type { ForEachNode, LoopNode } from "../../plan/plan.ts";
import type { Json } from "../../ports/json.ts";
import { failedNames } from "../../ports/tests.ts";
import { fingerprint } from "../../stops/no-progress.ts";
import type { ExecutionContext, IterationRecord, LoopFrame } from "../execution-context.ts";
import { historySeparator } from "../loop-values.ts";
import type { Outcome } from "../outcome.ts";
import type { CheckRecord, UndoneChanges } from "./check-record.ts";

/** What a loop remembers from one iteration to the next. */
export interface LoopState {
  previous: string;
  previousOutcomes: ReadonlyMap<string, Outcome>;
  result: Json | undefined;
  session: string | undefined;
  userInput: string;
  check: string;
  /** Every output, if the author asked for them. */
  readonly outputs: string[];
  /** The newest workspace commit, and the one the loop started from. */
  commit: string | undefined;
  readonly base: string | undefined;
  /**
   * The commit that protected files are restored from: the loop's first one, or one whose changes a person approved.
   */
  protectedBase: string | undefined;
  /** The agent's changes to protected files that were undone last. */
  undone: UndoneChanges | undefined;
  /** True once the agent knows that the check passes only with changes that were undone. */
  knowsUndone: boolean;
  /**
   * Trees and failures seen so far, and how many iterations in a row produced neither a new tree nor a new failure.
   */
  readonly seen: Set<string>;
  idle: number;
  best: Best | undefined;
  /** The last successful iteration, node by node; all of them if the loop keeps its history. */
  last: IterationRecord | undefined;
  readonly entries: IterationRecord[];
  /** The record of each shell check, by its script. */
  readonly checks: Map<string, CheckRecord>;
  /** The failure of the previous iteration, and how often it was repeated. */
  failure: string | undefined;
  sameFailure: number;
  /** True once the loop uses its stronger agent. */
  escalated: boolean;
  /** Tools that the checks use. */
  tools: readonly string[];
  readonly baseTree: string | undefined;
  /** The last text of each stop. */
  texts: readonly string[];
  /** Notes each node left for the coming iteration. */
  notes: ReadonlyMap<string, string>;
}

interface Best {
  readonly number: number;
  readonly value: number;
  readonly commit: string;
  readonly output: string;
}

export const createLoopState = (base: { readonly commit?: string; readonly tree?: string }): LoopState => ({
  previous: "",
  previousOutcomes: new Map(),
  result: undefined,
  session: undefined,
  userInput: "",
  check: "",
  outputs: [],
  commit: base.commit,
  base: base.commit,
  protectedBase: base.commit,
  undone: undefined,
  knowsUndone: false,
  seen: new Set(base.tree === undefined ? [] : [base.tree]),
  idle: 0,
  best: undefined,
  last: undefined,
  entries: [],
  checks: new Map(),
  failure: undefined,
  sameFailure: 0,
  escalated: false,
  tools: [],
  baseTree: base.tree,
  texts: [],
  notes: new Map(),
});

export const separator = "\n---\n";

/** What a loop publishes for later nodes: its last iteration, and its outputs if its author named them. */
export const publishedOutputs = (
  { id, accumulate }: LoopNode | ForEachNode,
  iteration: number,
  outputs: readonly string[],
): Readonly<Record<string, string>> => ({
  [`${id}.iteration`]: String(iteration),
  ...(accumulate === undefined
    ? {}
    : { [accumulate]: outputs.join(separator), [`${id}.history`]: outputs.join(historySeparator) }),
});

/** What an iteration's texts see of the loop. */
export const frameOf = (
  node: LoopNode,
  memory: LoopState,
  { number, context }: { readonly number: number; readonly context: ExecutionContext },
): LoopFrame => ({
  outer: context.frame,
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
    checks: node.stops.flatMap((stop) => (stop.kind === "until-bash" ? [stop.script.script] : [])),
    protects: node.protect,
    signals: new Set(),
    notes: memory.notes,
    noted: new Map(),
  },
});

function signalOf({ stops }: LoopNode, kind: "signal" | "fail-signal"): string | undefined {
  const stop = stops.find((one) => one.kind === kind);
  return stop !== undefined && "text" in stop ? stop.text : undefined;
}

/** Counts iterations in a row without a new tree or a new failure; returns the count. */
export function countNoProgress(
  memory: LoopState,
  {
    tree,
    check,
    output,
  }: { readonly tree: string | undefined; readonly check: string; readonly output: string },
): number {
  const marks = [
    tree ?? `output ${fingerprint(output)}`,
    ...(check === "" ? [] : [`failed ${fingerprint(check)}`]),
  ];
  const isNew = marks.some((mark) => !memory.seen.has(mark));
  for (const mark of marks) memory.seen.add(mark);
  memory.idle = isNew ? 0 : memory.idle + 1;
  return memory.idle;
}

/**
 * Counts repetitions of the same failure; returns the count. Failures are equal if the same tests fail or, without
 * test names, if the checks print the same output.
 */
export function countSameFailure(memory: LoopState, check: string): number {
  const failure = failureOf(memory, check);
  memory.sameFailure = failure !== "" && failure === memory.failure ? memory.sameFailure + 1 : 0;
  memory.failure = failure;
  return memory.sameFailure;
}

/** Records the failure of the baseline as seen. */
export function noteFailure(memory: LoopState, check: string): void {
  memory.failure = failureOf(memory, check);
  if (check !== "") memory.seen.add(`failed ${fingerprint(check)}`);
}

function failureOf({ checks }: LoopState, check: string): string {
  if (check === "") return "";
  const failed = [...checks.values()].flatMap(({ last }) => (last && failedNames(last)) ?? []);
  return failed.length > 0 ? `tests ${JSON.stringify(failed.toSorted())}` : `check ${fingerprint(check)}`;
}

/** Why a loop makes no progress, as a sentence; `undefined` if it does. */
export function whyNoProgress(
  { progress = {} }: LoopNode,
  { idle, same }: { readonly idle: number; readonly same: number },
): string | undefined {
  const { noChange = Infinity, sameFailure = Infinity } = progress;
  if (idle >= noChange) return `${idle} iterations brought no new change and no new failure`;
  return same >= sameFailure ? `the same failure came back in ${same} iterations` : undefined;
}
