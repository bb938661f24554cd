import type { Condition, Reference, ShellText, Text } from "../expr/text.ts";
import type { StopSpec } from "../stops/index.ts";
import type { AgentCall } from "./agent-call.ts";
import type { Budget, Input, NamedAgent } from "./header.ts";
import type { Items } from "./items.ts";
import type { Carry, Ending, ExitRule, ProgramData, Remark, Walk } from "./walk.ts";

export type { AgentCall, Section } from "./agent-call.ts";
export type { Budget, Input, NamedAgent } from "./header.ts";
export type { Items } from "./items.ts";

/** A workflow, free of any dialect: what every dialect compiles to and all the engine knows. Plain JSON. */
export interface Plan {
  readonly name: string;
  readonly description?: string;
  readonly dialect: string;
  /** How events label places: `fix.0.test` and `fix[0].test` when dotted; the path where absent. */
  readonly naming?: "dotted";
  /** The agent and model of every call that names none. */
  readonly agent?: string;
  readonly model?: string;
  readonly inputs: Readonly<Record<string, Input>>;
  readonly agents: Readonly<Record<string, NamedAgent>>;
  /** One of the agents: asked whenever a step sends a message to the coordinator; people read those otherwise. */
  readonly coordinator?: string;
  readonly budget: Budget;
  readonly body: Graph;
  /** Every workflow that a call in here names, whole: a resumed run never reads today's files. */
  readonly workflows: Readonly<Record<string, Plan>>;
}

/** What a loop repeats: one agent call, a graph of nodes with outputs of their own, or another workflow. */
export type Body = AgentBody | Graph | Call;

export interface AgentBody {
  readonly kind: "agent";
  readonly call: AgentCall;
}

/** Nodes with dependencies; each starts when its own have settled, `atMost` at a time. */
export interface Graph {
  readonly kind: "graph";
  readonly nodes: readonly Node[];
  readonly atMost: number;
  /** One node after the other instead, in one scope: what the dependencies say does not count. */
  readonly walk?: Walk;
  /** Of the nodes that could begin, the first in file order does; otherwise the one that could first. */
  readonly inOrder?: true;
  /**
   * A failed node keeps any other from beginning, cancels those that depend on it, or ends the whole run; where
   * absent those that depend on it are skipped.
   */
  readonly onFailure?: "stop" | "cancel" | "abort";
  /**
   * What the graph hands on: of its last node in file order that completed, or of this one; otherwise of the first
   * that says something and nobody waits for.
   */
  readonly output?: "last" | { readonly node: string };
  /** The longest all of it may take, in milliseconds. */
  readonly timeoutMs?: number;
}

export interface Call {
  readonly kind: "call";
  /** A key of the plan's `workflows`. */
  readonly workflow: string;
  readonly with: Readonly<Record<string, Text>>;
  /** The child's user message; the caller's own where absent. */
  readonly message?: Text;
  /** Names out of `with` that, with the item, are the message instead: as a JSON object. */
  readonly object?: readonly string[];
  /** What the caller's memory has of it afterwards: the child's values, by the names they get. */
  readonly takes?: Readonly<Record<string, Reference>>;
}

export type Node =
  | AgentNode
  | ShellNode
  | ScriptNode
  | ApprovalNode
  | LoopNode
  | ForEachNode
  | CallNode
  | CancelNode
  | ParallelNode;

/**
 * Which ends of the nodes before let a node run. After `none_failed` a node before whose condition did not hold keeps
 * nobody from running; after `all_done` a failed one does not either.
 */
export type TriggerRule =
  | "all_success"
  | "one_success"
  | "none_failed"
  | "none_failed_min_one_success"
  | "all_done";

interface BaseNode {
  readonly id: string;
  readonly after: readonly string[];
  readonly when?: Condition;
  readonly trigger: TriggerRule;
  readonly retry?: Retry;
  /** Its failure is told, and counts for the others as an empty output. */
  readonly mayFail?: true;
  /** Its failure ends it well instead, with this exit. */
  readonly catches?: string;
  /** What its exit is where it has none by itself: that of the first rule that holds. */
  readonly exits?: readonly ExitRule[];
}

/** Further attempts after the first one failed. */
export interface Retry {
  readonly times: number;
  readonly delayMs: number;
  readonly on: "transient" | "all";
  /** Each delay is twice the one before. */
  readonly grows?: true;
  /** What the memory keeps of the attempts, once one of them went well. */
  readonly leaves?: Remark;
}

export interface AgentNode extends BaseNode {
  readonly kind: "agent";
  readonly call: AgentCall;
  /** It judges what a node gave: a first line with PASS gives the exit `pass`, any other `fail`. */
  readonly judges?: { readonly node: string; readonly field?: string };
}

export interface ShellNode extends BaseNode {
  readonly kind: "shell";
  readonly script: ShellText;
  readonly timeoutMs?: number;
}

export interface ScriptNode extends BaseNode {
  readonly kind: "script";
  readonly runtime: "node" | "bun" | "python" | "uv";
  /** References become literals of JSON. */
  readonly source: { readonly inline: Text } | { readonly file: string };
  readonly deps: readonly string[];
  readonly timeoutMs?: number;
  readonly data?: ProgramData;
  /** It prints a JSON object, `output` and `exit` in it, and nothing else. */
  readonly prints?: "outcome";
}

export interface ApprovalNode extends BaseNode {
  readonly kind: "approval";
  readonly message: Text;
  /** Whether the text of an approval is the node's output. */
  readonly capture: boolean;
  /** What an agent is asked after a rejection, before the gate opens again; at most `times` times. */
  readonly onReject?: { readonly call: AgentCall; readonly times: number };
}

export interface CancelNode extends BaseNode {
  readonly kind: "cancel";
  readonly reason: Text;
}

export interface CallNode extends BaseNode {
  readonly kind: "call";
  readonly call: Call;
  /** The longest the called workflow may take, in milliseconds. */
  readonly timeoutMs?: number;
}

/** Tells its nodes side by side, in the scope around it; its output is a JSON list of what each gave. */
export interface ParallelNode extends BaseNode {
  readonly kind: "parallel";
  readonly body: Graph;
  /** What an entry of the list calls the node's id and its output. */
  readonly lists: { readonly id: string; readonly output: string };
}

export type OnError =
  | { readonly mode: "fail" | "continue" }
  | {
      readonly mode: "retry";
      readonly times: number;
      readonly delayMs?: number;
      /** What the last failure in a row means. */
      readonly afterwards?: "continue";
    };

/** Repeats its body until a stop says so. */
export interface LoopNode extends BaseNode {
  readonly kind: "loop";
  readonly body: Body;
  /** In the order they are tested: cheapest first. */
  readonly stops: readonly StopSpec[];
  readonly mode: "any" | "all";
  readonly max: number;
  readonly onMax: "fail" | "succeed";
  readonly onError: OnError;
  /** An iteration that failed leaves no trace: what the one before it gave stays the previous output. */
  readonly forgetsFailures?: true;
  readonly session: "fresh" | "threaded";
  readonly gate?: { readonly message: Text; readonly signalCompletes: boolean };
  readonly delayMs: number;
  /** Or every iteration's, or a transcript: every node of every iteration and what the judge said. */
  readonly output: "last" | "cumulative" | "transcript";
  /** The name under which later texts see every iteration's output. */
  readonly accumulate?: string;
  /** Test the shell check before the first iteration; already green means nothing to do. */
  readonly baseline: boolean;
  readonly protect: readonly string[];
  /** Iterations without a new diff or a new failure after which the loop gives up. */
  readonly noProgress?: number;
  /** The longest all iterations may take together, in milliseconds. */
  readonly timeoutMs?: number;
  readonly best?: { readonly metric: ShellText; readonly direction: "min" | "max" };
  /** A node's exit that ends the iteration there; the stops that look at its output are not tested. */
  readonly againOn?: string;
  /** The name under which the memory has the number of the iteration. */
  readonly counts?: string;
  readonly carry?: Carry;
  readonly ending?: Ending;
}

/** Repeats its body once for each item. */
export interface ForEachNode extends BaseNode {
  readonly kind: "for-each";
  readonly items: Items;
  readonly body: Body;
  /** Items beyond these are left out, with a notice. */
  readonly max?: number;
  /** The others still run once an item has failed the loop. */
  readonly finishes?: true;
  /** The longest one item may take, in milliseconds. */
  readonly eachMs?: number;
  /** The share of items that must go well, where failed ones are passed over. */
  readonly minRate?: number;
  /** Items at work at a time. */
  readonly atMost: number;
  readonly isolation: "shared" | "worktree";
  readonly onError: OnError;
  readonly delayMs: number;
  readonly output: "last" | "cumulative";
  readonly accumulate?: string;
  /** The author let more be at work at a time, or did not say: people are told where `atMost` holds them back. */
  readonly capped?: true;
  /** The result lists every iteration with its label, item and status, and a failure names all that failed. */
  readonly gather?: "iterations";
  readonly timeoutMs?: number;
}
