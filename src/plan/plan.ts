import { z } from "zod";
import { shellText, text } from "../expressions/template.ts";
import type { Infer } from "../ports/infer.ts";
import { wallSettings } from "../ports/isolation.ts";
import { modelPrices } from "../ports/model-price.ts";
import { stopSpec } from "../stops/index.ts";
import { agentCall } from "./agent-call.ts";
import { attempts, escalation, fallback } from "./attempts.ts";
import { baseNode } from "./base-node.ts";
import { type Call, call } from "./call.ts";
import { items } from "./items.ts";
import { type LeafNode, leafNodes } from "./leaf-nodes.ts";
import { budget, input, namedAgent, series } from "./plan-header.ts";
import { carriedContext, loopResultNames, sequence } from "./sequence.ts";

export type { AgentCall, Section } from "./agent-call.ts";
export type { Retry, TriggerRule } from "./base-node.ts";
export type { Call } from "./call.ts";
export type { Items } from "./items.ts";
export type { AgentNode, ApprovalNode, CallNode, ScriptNode, ShellNode } from "./leaf-nodes.ts";
export type { Budget, BudgetLimits, Input, NamedAgent } from "./plan-header.ts";

const yes = z.literal(true).exactOptional();
const milliseconds = z.number().exactOptional();

const graphFields = z.strictObject({
  kind: z.literal("graph"),
  atMost: z.int(),
  /** Runs its nodes one after the other in a shared scope instead; dependencies do not count. */
  walk: sequence.exactOptional(),
  /** If set, ready nodes start in file order; otherwise in the order in which they became ready. */
  inOrder: yes,
  /**
   * The effect of a failed node: no other node starts, its dependents are cancelled, or the whole run ends. Default:
   * its dependents are skipped.
   */
  onFailure: z.enum(["stop", "cancel", "abort"]).exactOptional(),
  /**
   * The graph's output: of its last completed node in file order, or of this node. By default, and with `ifRun` if
   * that node did not complete: the first non-blank output that no other node depends on.
   */
  output: z.union([z.literal("last"), z.strictObject({ node: z.string(), ifRun: yes })]).exactOptional(),
  /** Time limit for the whole graph, in milliseconds. */
  timeoutMs: milliseconds,
});

/** Nodes with dependencies. Each starts when its dependencies have settled; `atMost` run at a time. */
export interface Graph extends Infer<typeof graphFields> {
  readonly nodes: readonly Node[];
}

const graph: z.ZodType<Graph> = z.lazy(() => graphFields.extend({ nodes: z.array(node) }));

const agentBody = z.strictObject({ kind: z.literal("agent"), call: agentCall });

/** What a loop repeats: one agent call, a graph of nodes, or another workflow. */
export type Body = Infer<typeof agentBody> | Graph | Call;

const body: z.ZodType<Body> = z.lazy(() => z.union([agentBody, graph, call]));

/** Runs its nodes in parallel, in the enclosing scope. Its output is a JSON list of their outputs. */
const parallelFields = baseNode.extend({
  kind: z.literal("parallel"),
  /** Field names of the node's id and output in an entry of the list. */
  lists: z.strictObject({ id: z.string(), output: z.string() }),
  /** Its output is the output that this share of its completed nodes agrees on; it fails if there is none. */
  agree: z.enum(["unanimous", "2/3", "majority"]).exactOptional(),
});

export interface ParallelNode extends Infer<typeof parallelFields> {
  readonly body: Graph;
}

const onError = z.union([
  z.strictObject({ mode: z.enum(["fail", "continue"]) }),
  z.strictObject({
    mode: z.literal("retry"),
    times: z.int(),
    delayMs: milliseconds,
    /** The effect of a failure in the last iteration. */
    afterwards: z.literal("continue").exactOptional(),
  }),
]);

export type OnError = Infer<typeof onError>;

const repeating = {
  onError,
  delayMs: z.number(),
  /** The name under which later texts can read every iteration's output. */
  accumulate: z.string().exactOptional(),
  /** Time limit for all iterations together. */
  timeoutMs: milliseconds,
};

/** Repeats its body until a stop fires. */
const loopFields = baseNode.extend({
  ...repeating,
  kind: z.literal("loop"),
  /** In the order in which they are tested: cheapest first. */
  stops: z.array(stopSpec),
  mode: z.enum(["any", "all"]),
  max: z.int(),
  onMax: z.enum(["fail", "succeed"]),
  /** A failed iteration has no output: the previous output stays that of the iteration before it. */
  forgetsFailures: yes,
  session: z.enum(["fresh", "threaded"]),
  /** `bare` is what an approval without a text says. */
  gate: z
    .strictObject({ message: text, signalCompletes: z.boolean(), bare: z.string().exactOptional() })
    .exactOptional(),
  /**
   * The loop's output: of the last iteration, of all, or a transcript with every node of every iteration and the
   * judge's answers.
   */
  output: z.enum(["last", "cumulative", "transcript"]),
  /** Run the shell check before the first iteration; if it is green there is nothing to do. */
  baseline: z.boolean(),
  /** The isolation of its shell check and its metric. */
  checkWalls: wallSettings.exactOptional(),
  protect: z.array(z.string()),
  /**
   * Protects files that the shell checks' tools read and, with `tests`, files named like tests; `allow` lists
   * exceptions as globs.
   */
  guard: z.strictObject({ allow: z.array(z.string()), tests: z.boolean() }).exactOptional(),
  /**
   * `review`: if the check passes only with the agent's changes to protected files, a person decides about them;
   * `allow`: nothing is protected. By default they are always undone.
   */
  protected: z.enum(["review", "allow"]).exactOptional(),
  /** A person may keep what an agent changed in protected files. */
  onProtectedChange: z.literal("gate").exactOptional(),
  /** Asks an agent to review the work once all stops say done. */
  review: yes,
  /** Number of iterations after which the loop gives up: with the same failing tests, or with no new result. */
  progress: z
    .strictObject({ sameFailure: z.int().exactOptional(), noChange: z.int().exactOptional() })
    .exactOptional(),
  escalate: escalation.exactOptional(),
  /** With `fromStart`, the start is measured too; absent in older plans. */
  best: z
    .strictObject({ metric: shellText, direction: z.enum(["min", "max"]), fromStart: yes })
    .exactOptional(),
  /** The node exit that ends the iteration; stops that read the output are not tested then. */
  againOn: z.string().exactOptional(),
  /** The name under which the memory stores the iteration's number. */
  counts: z.string().exactOptional(),
  carry: carriedContext.exactOptional(),
  ending: loopResultNames.exactOptional(),
});

export interface LoopNode extends Infer<typeof loopFields> {
  readonly body: Body;
}

/** Runs its body once for each item. */
const forEachFields = baseNode.extend({
  ...repeating,
  kind: z.literal("for-each"),
  items,
  output: z.enum(["last", "cumulative"]),
  /** Maximum number of items; the rest is left out with a notice. */
  max: z.int().exactOptional(),
  /** If an item fails the loop, the remaining items still run. */
  finishes: yes,
  /** Time limit for one item. */
  eachMs: milliseconds,
  /** Minimum share of successful items, if failed ones are skipped. */
  minRate: z.number().exactOptional(),
  /** Maximum number of items in parallel. */
  atMost: z.int(),
  /** The list can be split among jobs of a CI matrix; on one machine, all items run. */
  spread: z
    .strictObject({
      input: z.string(),
      batch: z.int().exactOptional(),
      maxParallel: z.int().exactOptional(),
    })
    .exactOptional(),
  isolation: z.enum(["shared", "worktree"]),
  /** The author allowed more parallel items, or set no limit: a notice is emitted if `atMost` limits them. */
  capped: yes,
  /** The items are attempts at one task, each in its own checkout; only the best attempt's work is kept. */
  attempts: attempts.exactOptional(),
  /**
   * `iterations`: the result lists every iteration with label, item and status. `outputs`: it lists every item's
   * output, with `archon_failed` for failed ones, and the output is that list as JSON. A failure names all failed
   * items.
   */
  gather: z.enum(["iterations", "outputs"]).exactOptional(),
});

export interface ForEachNode extends Infer<typeof forEachFields> {
  readonly body: Body;
}

export type Node = LeafNode | ParallelNode | LoopNode | ForEachNode;

const node: z.ZodType<Node> = z.discriminatedUnion("kind", [
  ...leafNodes,
  parallelFields.extend({ body: graph }),
  loopFields.extend({ body }),
  forEachFields.extend({ body }),
]);

const planFields = z.strictObject({
  name: z.string(),
  description: z.string().exactOptional(),
  dialect: z.string(),
  /** Labels of places in events: `fix.0.test` and `fix[0].test` when dotted; otherwise the path. */
  naming: z.literal("dotted").exactOptional(),
  /** Default agent and model of calls that name none. */
  agent: z.string().exactOptional(),
  model: z.string().exactOptional(),
  inputs: z.record(z.string(), input),
  agents: z.record(z.string(), namedAgent),
  /**
   * One of the agents: called when a step sends a message to the coordinator. Without one, people read those
   * messages.
   */
  coordinator: z.string().exactOptional(),
  budget,
  /** How long one process waits while a provider has errors. */
  patienceMs: milliseconds,
  /** Who answers a call after its provider has failed this often. */
  fallback: fallback.exactOptional(),
  /** Model prices that override those of the built-in table. */
  prices: modelPrices.exactOptional(),
  /** The limits that runs publishing to one branch share, and the text of their pull request. */
  series: series.exactOptional(),
  /** The isolation of its programs, unless the user sets another. */
  walls: wallSettings.exactOptional(),
  /** The run fails unless `evidence.json` is among its artifacts. */
  needsEvidence: yes,
  /** The boolean field of a node's result that says whether the work succeeded. */
  outcome: z.strictObject({ node: z.string(), field: z.string() }).exactOptional(),
});

/** A workflow, independent of any dialect: the compiler's output and the engine's only input. Plain JSON. */
export interface Plan extends Infer<typeof planFields> {
  readonly body: Graph;
  /** All called workflows, embedded: a resumed run never reads the current files. */
  readonly workflows: Readonly<Record<string, Plan>>;
}

/** Parses a plan from a log. */
export const planSchema: z.ZodType<Plan> = z.lazy(() =>
  planFields.extend({ body: graph, workflows: z.record(z.string(), planSchema) }),
);
