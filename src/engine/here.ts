import type { Budget, Node, Plan } from "../plan/plan.ts";
import type { Json } from "../ports/json.ts";
import type { RunFacts } from "./event.ts";
import type { Flow } from "./flow.ts";
import type { Outcome } from "./outcome.ts";
import type { Shared } from "./shared.ts";

/** Where in a run a flow stands and what it can see from there. */
export interface Here {
  readonly path: string;
  /** The workflow this place belongs to: its agents and inputs. */
  readonly plan: Plan;
  readonly facts: RunFacts;
  readonly budget: Budget;
  readonly message: string;
  readonly inputs: Readonly<Record<string, string>>;
  /** How a node that comes before this place ended. */
  outcome(id: string): Outcome | undefined;
  /** What a loop before this place published under a name. */
  published(name: string): string | undefined;
  readonly frame: Frame | undefined;
  /** Of the innermost loop, calls of other workflows included. */
  readonly iteration: number | undefined;
  /** Tells one attempt at a node of any kind. */
  tellNode(node: Node, here: Here): Flow<Outcome>;
  /** The checkout in use here, where it is not the run's own. */
  readonly workspace: string | undefined;
  /** What events call a place. */
  label(path: string): string;
  /** When the time given to what is around this place is up, in the run's active milliseconds. */
  readonly deadline?: number;
  /** What the nodes of a walk have in common, where this place belongs to one. */
  readonly shared?: Shared | undefined;
  /** Why a person sent this place's work back. */
  readonly rejection?: string;
}

/** What one iteration of a loop, or one item of a for-each, adds to what texts can see. */
export interface Frame {
  readonly outer: Frame | undefined;
  readonly loop: string;
  /** From 1; an item's position in a for-each. */
  readonly number: number;
  readonly item?: Json;
  /** The output of the iteration before; empty in the first. */
  readonly previous: string;
  /** How the body's nodes ended in the iteration before. */
  readonly previousOutcomes: ReadonlyMap<string, Outcome>;
  /** What a person wrote at the gate just before this iteration. */
  readonly userInput: string;
  /** Why the last shell check said no. */
  readonly check: string;
  /** Every iteration's output so far, under the name the author gave it. */
  readonly accumulated: Readonly<Record<string, string>>;
  /** Every iteration's output so far, where the loop keeps them. */
  readonly outputs?: readonly string[];
  /** How the items of a for-each stand. */
  readonly tally?: Tally;
  /** This iteration's output and result, once there are any. */
  readonly output?: string;
  readonly result?: Json | undefined;
  /** The iteration before, node by node. */
  readonly last?: Entry | undefined;
  /** What the agents of a repeating loop say to it by tool call. */
  readonly calls?: LoopCalls;
}

/** How the agents of one iteration speak to their loop other than in words. */
export interface LoopCalls {
  /** The signals that a call can give. */
  readonly completes: string | undefined;
  readonly fails: string | undefined;
  /** Those given in this iteration by the nodes of the body. */
  readonly given: Set<string>;
  /** What each node wanted to know in this iteration, and what it wants to know in the next. */
  readonly notes: ReadonlyMap<string, string>;
  readonly noted: Map<string, string>;
}

/** What one iteration of a loop left behind. */
export interface Entry {
  readonly number: number;
  /** Of each node of the body in file order; one without a name where the body is no graph. */
  readonly parts: readonly Part[];
  readonly output: string;
  readonly result: Json | undefined;
  /** What the judge said of it. */
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
