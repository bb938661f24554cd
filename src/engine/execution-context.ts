import type { AttemptAgent } from "../plan/attempts.ts";
import type { Budget, Node, Plan } from "../plan/plan.ts";
import type { Json } from "../ports/json.ts";
import type { RunSettings } from "./log-events.ts";
import type { Operation } from "./operation.ts";
import type { Outcome } from "./outcome.ts";
import type { SequenceState } from "./sequence-state.ts";

/** Where an operation runs, and what it can see there. */
export interface ExecutionContext {
  readonly path: string;
  /** The workflow this code belongs to: its agents and inputs. */
  readonly plan: Plan;
  readonly facts: RunSettings;
  readonly budget: Budget;
  readonly message: string;
  /** Context that the calling workflow passes to this workflow's first nodes. */
  readonly context?: string | undefined;
  readonly inputs: Readonly<Record<string, string>>;
  /** The outcome of a node that this place depends on. */
  outcome(id: string): Outcome | undefined;
  /** The value that an upstream loop published under a name. */
  published(name: string): string | undefined;
  readonly frame: LoopFrame | undefined;
  /** The innermost loop, across calls of other workflows. */
  readonly iteration: number | undefined;
  /** Runs one attempt at a node of any kind. */
  runNode(node: Node, context: ExecutionContext): Operation<Outcome>;
  /** Counts the nodes that work in the run's checkouts. */
  readonly activity: Activity;
  /** What snapshots of this run have reported: what lasts is said once. */
  readonly noticed: Set<string>;
  /** True if this place must not change files. */
  readonly isReading?: true;
  /** The checkout in use here, if it is not the run's own. */
  readonly workspace: string | undefined;
  /** The label that run events give this place. */
  label(path: string): string;
  /** Deadline of the enclosing scope, in ms of active run time. */
  readonly deadline?: number;
  /** The state that the nodes of a sequence share, if this place is in one. */
  readonly shared?: SequenceState | undefined;
  /** The attempt that this place belongs to, if its loop makes several. */
  readonly attempt?: LoopAttempt;
  /** The agent that replaces the loop's own after too many iterations without progress. */
  readonly escalated?: StandIn;
  /** Why a person rejected the work done here. */
  readonly rejection?: string;
}

/** How many nodes work in the run's checkouts, now and in total. Read-only nodes do not count. */
export interface Activity {
  running: number;
  started: number;
}

/** An agent or model that replaces another one. */
export interface StandIn {
  readonly by: AttemptAgent;
  readonly insteadOf: AttemptAgent;
  /** The workflow that defines the agent. */
  readonly plan: Plan;
}

/** One of several attempts at a loop. */
export interface LoopAttempt extends StandIn {
  /** True if the other attempts use other agents. */
  readonly hasOthers: boolean;
  /** The first attempt that was green, if that ends the others. */
  readonly race: { first: number | undefined };
  /** Number of failing tests after its last check, if the output reports it. */
  failing: number | undefined;
  /** The value of the loop's metric for its final work, if the metric printed a number. */
  metric: number | undefined;
}

/** The names that one iteration of a loop, or one item of a for-each, adds to the scope of texts. */
export interface LoopFrame {
  readonly outer: LoopFrame | undefined;
  readonly loop: string;
  /** Counted from 1; in a for-each, the item's position. */
  readonly number: number;
  readonly item?: Json;
  /** The output of the previous iteration; empty in the first. */
  readonly previous: string;
  /** The outcomes of the body's nodes in the previous iteration. */
  readonly previousOutcomes: ReadonlyMap<string, Outcome>;
  /** What a person wrote at the gate just before this iteration. */
  readonly userInput: string;
  /** Why the last shell check failed. */
  readonly check: string;
  /** Every output so far, under the name the author gave it. */
  readonly accumulated: Readonly<Record<string, string>>;
  /** Every output so far, if the loop keeps them. */
  readonly outputs?: readonly string[];
  /** How many items of the for-each have ended. */
  readonly tally?: Tally;
  /** This iteration's output and result, once known. */
  readonly output?: string;
  readonly result?: Json | undefined;
  /** The previous iteration, node by node. */
  readonly last?: IterationRecord | undefined;
  /** The loop that agents in a repeating body report to by tool call. */
  readonly calls?: LoopToolCalls;
}

/** How the agents of one iteration report to their loop by tool call. */
export interface LoopToolCalls {
  /** The signals a tool call can give. */
  readonly completes: string | undefined;
  readonly fails: string | undefined;
  /** The loop's check commands, and the globs of the files that it restores. */
  readonly checks: readonly string[];
  readonly protects: readonly string[];
  /** Signals given in this iteration by the nodes of the body. */
  readonly signals: Set<string>;
  /** Notes from the previous iteration, by node, and notes for the next one. */
  readonly notes: ReadonlyMap<string, string>;
  readonly noted: Map<string, string>;
}

/** The record of one iteration. */
export interface IterationRecord {
  readonly number: number;
  /** Outcomes of the body's nodes in file order; a single unnamed entry if the body is not a graph. */
  readonly parts: readonly Part[];
  readonly output: string;
  readonly result: Json | undefined;
  /** What the judge answered. */
  readonly judged: string;
}

interface Part {
  readonly id: string | undefined;
  readonly output: string;
  readonly result: Json | undefined;
}

export interface Tally {
  readonly total: number;
  /** Items that have ended so far. */
  succeeded: number;
  failed: number;
}
