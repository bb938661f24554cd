import type { Reference, ShellText, Text } from "../expressions/template.ts";
import type { WallSettings } from "../ports/isolation.ts";
import type { Json } from "../ports/json.ts";
import type { ModelPrices } from "../ports/model-price.ts";
import type { StopSpec } from "../stops/index.ts";
import type { AgentCall } from "./agent-call.ts";
import type { Attempts, Escalation } from "./attempts.ts";
import type { BaseNode, Retry, TriggerRule } from "./base-node.ts";
import type { Call } from "./call.ts";
import type { Items } from "./items.ts";
import type { Budget, BudgetLimits, Input, NamedAgent, Series } from "./plan-header.ts";
import type { CarriedContext, LoopResultNames, ProgramData, Sequence } from "./sequence.ts";

export type { Section } from "./agent-call.ts";
export type { AgentCall, Budget, BudgetLimits, Call, Input, Items, NamedAgent, Retry, TriggerRule };

/** A workflow, free of any dialect: the result of compiling, and all the engine knows. Plain JSON. */
export interface Plan {
  readonly name: string;
  readonly description?: string;
  readonly dialect: string;
  /** Labels of places in events: `fix.0.test` and `fix[0].test` when dotted; otherwise the path. */
  readonly naming?: "dotted";
  /** Default agent and model of calls that name none. */
  readonly agent?: string;
  readonly model?: string;
  readonly inputs: Readonly<Record<string, Input>>;
  readonly agents: Readonly<Record<string, NamedAgent>>;
  /**
   * One of the agents: called when a step sends a message to the coordinator. Without one, people read those
   * messages.
   */
  readonly coordinator?: string;
  readonly budget: Budget;
  /** How long one process waits for a provider in trouble, in milliseconds. */
  readonly patienceMs?: number;
  /** Prices of models that are not those of our table. */
  readonly prices?: ModelPrices;
  /** The limits that runs publishing to one branch share, and the text of their pull request. */
  readonly series?: Series;
  /** The walls around its programs, unless the user sets others. */
  readonly walls?: WallSettings;
  /** The run fails unless `evidence.json` is among its artifacts. */
  readonly needsEvidence?: true;
  /** The boolean field of a node's result that says whether the work succeeded. */
  readonly outcome?: { readonly node: string; readonly field: string };
  readonly body: Graph;
  /** All workflows that are called, whole: a resumed run never reads today's files. */
  readonly workflows: Readonly<Record<string, Plan>>;
}

/** What a loop repeats: one agent call, a graph of nodes, or another workflow. */
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
  /** One node after the other instead, in a shared scope; dependencies do not count. */
  readonly walk?: Sequence;
  /** If set, ready nodes start in file order; otherwise in the order in which they became ready. */
  readonly inOrder?: true;
  /**
   * The effect of a failed node: no other node starts, its dependents are cancelled, or the whole run ends. Default:
   * its dependents are skipped.
   */
  readonly onFailure?: "stop" | "cancel" | "abort";
  /**
   * The graph's output: that of its last completed node in file order, or of this node; default, and `ifRun` if it
   * did not complete: the first non-blank one that no other node waits for.
   */
  readonly output?: "last" | { readonly node: string; readonly ifRun?: true };
  /** Time limit for the whole graph, in milliseconds. */
  readonly timeoutMs?: number;
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

export interface AgentNode extends BaseNode {
  readonly kind: "agent";
  readonly call: AgentCall;
  /** It judges a node's output, or this value under that name: a first line with PASS gives the exit `pass`, any other `fail`. */
  readonly judges?: { readonly node: string; readonly field?: string; readonly value?: Reference };
}

export interface ShellNode extends BaseNode {
  readonly kind: "shell";
  readonly script: ShellText;
  readonly timeoutMs?: number;
  /** A program that is ended at its time limit counts as skipped. */
  readonly maySkip?: true;
  /** It must print JSON that keeps this schema, and nothing else. */
  readonly schema?: Json;
}

export interface ScriptNode extends BaseNode {
  readonly kind: "script";
  readonly runtime: "node" | "bun" | "python" | "uv";
  /** References become JSON literals. */
  readonly source: { readonly inline: Text } | { readonly file: string };
  readonly deps: readonly string[];
  /** Further variables of its environment. */
  readonly env?: Readonly<Record<string, Text>>;
  readonly timeoutMs?: number;
  /** A program that is ended at its time limit counts as skipped. */
  readonly maySkip?: true;
  readonly data?: ProgramData;
  /** It must print a JSON object with `output` and `exit`, and nothing else. */
  readonly prints?: "outcome";
  /** It must print JSON that keeps this schema, and nothing else. */
  readonly schema?: Json;
}

export interface ApprovalNode extends BaseNode {
  readonly kind: "approval";
  readonly message: Text;
  /** True if the text of an approval is the node's output. */
  readonly capture: boolean;
  /** What people may decide: the output is `{"decision": …, "text": …}`. A text that begins with one chooses it. */
  readonly decisions?: readonly string[];
  /** The agent call after a rejection, before the gate opens again; at most `times` times. */
  readonly onReject?: { readonly call: AgentCall; readonly times: number };
}

export interface CancelNode extends BaseNode {
  readonly kind: "cancel";
  readonly reason: Text;
}

export interface CallNode extends BaseNode {
  readonly kind: "call";
  readonly call: Call;
  /** Time limit for the called workflow, in milliseconds. */
  readonly timeoutMs?: number;
}

/** Runs its nodes in parallel, in the enclosing scope. Its output is a JSON list of their outputs. */
export interface ParallelNode extends BaseNode {
  readonly kind: "parallel";
  readonly body: Graph;
  /** Field names of the node's id and output in an entry of the list. */
  readonly lists: { readonly id: string; readonly output: string };
  /** Its output is the one that this share of its completed nodes agrees on instead; without one it fails. */
  readonly agree?: "unanimous" | "2/3" | "majority";
}

export type OnError =
  | { readonly mode: "fail" | "continue" }
  | {
      readonly mode: "retry";
      readonly times: number;
      readonly delayMs?: number;
      /** What a failure in the last iteration means. */
      readonly afterwards?: "continue";
    };

/** Repeats its body until a stop fires. */
export interface LoopNode extends BaseNode {
  readonly kind: "loop";
  readonly body: Body;
  /** In the order in which they are tested: cheapest first. */
  readonly stops: readonly StopSpec[];
  readonly mode: "any" | "all";
  readonly max: number;
  readonly onMax: "fail" | "succeed";
  readonly onError: OnError;
  /** A failed iteration leaves no trace: the previous output stays that of the iteration before it. */
  readonly forgetsFailures?: true;
  readonly session: "fresh" | "threaded";
  readonly gate?: { readonly message: Text; readonly signalCompletes: boolean };
  readonly delayMs: number;
  /** Or every iteration's, or a transcript: every node of every iteration and the judge's answers. */
  readonly output: "last" | "cumulative" | "transcript";
  /** The name under which later texts see every iteration's output. */
  readonly accumulate?: string;
  /** Run the shell check before the first iteration; if it is green there is nothing to do. */
  readonly baseline: boolean;
  /** The walls around its shell check and its metric. */
  readonly checkWalls?: WallSettings;
  readonly protect: readonly string[];
  /** Protects files that the shell checks' tools read, and tests by their names, except these globs. */
  readonly guard?: { readonly allow: readonly string[]; readonly tests: boolean };
  /** A person may keep what an agent changed in protected files. */
  readonly onProtectedChange?: "gate";
  /** Asks an agent, once all else says done, whether the work is honest. */
  readonly review?: true;
  /** Iterations after which the loop gives up: with the same failing tests, or with no new result. */
  readonly progress?: { readonly sameFailure?: number; readonly noChange?: number };
  readonly escalate?: Escalation;
  /** Time limit for all iterations together, in milliseconds. */
  readonly timeoutMs?: number;
  readonly best?: { readonly metric: ShellText; readonly direction: "min" | "max" };
  /** Node exits that end the iteration; stops that read its output are not tested then. */
  readonly againOn?: string;
  /** The name under which the memory has the iteration's number. */
  readonly counts?: string;
  readonly carry?: CarriedContext;
  readonly ending?: LoopResultNames;
}

/** Runs its body once for each item. */
export interface ForEachNode extends BaseNode {
  readonly kind: "for-each";
  readonly items: Items;
  readonly body: Body;
  /** Maximum number of items; the rest is left out with a notice. */
  readonly max?: number;
  /** The remaining items still run after one has failed the loop. */
  readonly finishes?: true;
  /** Time limit for one item, in milliseconds. */
  readonly eachMs?: number;
  /** Minimum share of successful items, if failed ones are skipped. */
  readonly minRate?: number;
  /** Maximum number of items in parallel. */
  readonly atMost: number;
  /** The list may be divided among jobs of a CI matrix, each with some of its items; one machine runs all of it. */
  readonly spread?: { readonly input: string; readonly batch?: number; readonly maxParallel?: number };
  readonly isolation: "shared" | "worktree";
  readonly onError: OnError;
  readonly delayMs: number;
  readonly output: "last" | "cumulative";
  readonly accumulate?: string;
  /** The author allowed more in parallel, or set no limit: a notice says when `atMost` holds items back. */
  readonly capped?: true;
  /** The items are attempts at one task, each in its own checkout: only the best one's work is kept. */
  readonly attempts?: Attempts;
  /**
   * The result lists every iteration with label, item and status; or every item's output, where `archon_failed` marks
   * those that failed, and the output is that list as JSON. A failure names all that failed.
   */
  readonly gather?: "iterations" | "outputs";
  readonly timeoutMs?: number;
}
