import { z } from "zod";
import { condition, reference, shellText, text } from "../expressions/template.ts";
import { agentSettings, agentTools } from "../ports/agent.ts";
import { json } from "../ports/json.ts";
import { modelPrices } from "../ports/model-price.ts";
import { stopSpec } from "../stops/index.ts";
import { agentCall } from "./agent-call.ts";
import { attempts, escalation } from "./attempts.ts";
import { items } from "./items.ts";
import type { Body, Graph, Node, Plan } from "./plan.ts";
import { carry, ending, exitRule, programData, remark, sequenceSchema } from "./sequence.ts";
import { seriesSettings } from "./series-settings.ts";
import { wallSettings } from "./walls.ts";

const retry = z.strictObject({
  times: z.int(),
  delayMs: z.number(),
  on: z.enum(["transient", "all"]),
  grows: z.literal(true).exactOptional(),
  leaves: remark.exactOptional(),
});

const base = {
  id: z.string(),
  after: z.array(z.string()),
  behind: z.array(z.string()).exactOptional(),
  when: condition.exactOptional(),
  trigger: z.enum(["all_success", "one_success", "none_failed", "none_failed_min_one_success", "all_done"]),
  retry: retry.exactOptional(),
  walls: wallSettings.exactOptional(),
  readOnly: z.literal(true).exactOptional(),
  mayFail: z.literal(true).exactOptional(),
  catches: z.string().exactOptional(),
  exits: z.array(exitRule).exactOptional(),
};

const call = z.strictObject({
  kind: z.literal("call"),
  workflow: z.string(),
  with: z.record(z.string(), text),
  message: text.exactOptional(),
  context: text.exactOptional(),
  object: z.array(z.string()).exactOptional(),
  takes: z.record(z.string(), reference).exactOptional(),
});

const graph: z.ZodType<Graph> = z.lazy(() =>
  z.strictObject({
    kind: z.literal("graph"),
    nodes: z.array(node),
    atMost: z.int(),
    walk: sequenceSchema.exactOptional(),
    inOrder: z.literal(true).exactOptional(),
    onFailure: z.enum(["stop", "cancel", "abort"]).exactOptional(),
    output: z
      .union([
        z.literal("last"),
        z.strictObject({ node: z.string(), ifRun: z.literal(true).exactOptional() }),
      ])
      .exactOptional(),
    timeoutMs: z.number().exactOptional(),
  }),
);

const body: z.ZodType<Body> = z.lazy(() =>
  z.union([z.strictObject({ kind: z.literal("agent"), call: agentCall }), graph, call]),
);

const onError = z.union([
  z.strictObject({ mode: z.enum(["fail", "continue"]) }),
  z.strictObject({
    mode: z.literal("retry"),
    times: z.int(),
    delayMs: z.number().exactOptional(),
    afterwards: z.literal("continue").exactOptional(),
  }),
]);

const timeoutMs = z.number().exactOptional();
const program = { timeoutMs, schema: json.exactOptional() };
const shellNode = z.strictObject({ ...base, kind: z.literal("shell"), script: shellText, ...program });

const scriptNode = z.strictObject({
  ...base,
  kind: z.literal("script"),
  runtime: z.enum(["node", "bun", "python", "uv"]),
  source: z.union([z.strictObject({ inline: text }), z.strictObject({ file: z.string() })]),
  deps: z.array(z.string()),
  env: z.record(z.string(), text).exactOptional(),
  ...program,
  data: programData.exactOptional(),
  prints: z.literal("outcome").exactOptional(),
});

const approvalNode = z.strictObject({
  ...base,
  kind: z.literal("approval"),
  message: text,
  capture: z.boolean(),
  decisions: z.array(z.string()).exactOptional(),
  onReject: z.strictObject({ call: agentCall, times: z.int() }).exactOptional(),
});

const repeats = {
  body,
  onError,
  delayMs: z.number(),
  output: z.enum(["last", "cumulative"]),
  accumulate: z.string().exactOptional(),
};

const loopNode = z.strictObject({
  ...base,
  ...repeats,
  kind: z.literal("loop"),
  output: z.enum(["last", "cumulative", "transcript"]),
  timeoutMs,
  stops: z.array(stopSpec),
  mode: z.enum(["any", "all"]),
  max: z.int(),
  onMax: z.enum(["fail", "succeed"]),
  forgetsFailures: z.literal(true).exactOptional(),
  session: z.enum(["fresh", "threaded"]),
  gate: z.strictObject({ message: text, signalCompletes: z.boolean() }).exactOptional(),
  baseline: z.boolean(),
  checkWalls: wallSettings.exactOptional(),
  protect: z.array(z.string()),
  guard: z.strictObject({ allow: z.array(z.string()), tests: z.boolean() }).exactOptional(),
  onProtectedChange: z.literal("gate").exactOptional(),
  review: z.literal(true).exactOptional(),
  progress: z
    .strictObject({ sameFailure: z.int().exactOptional(), noChange: z.int().exactOptional() })
    .exactOptional(),
  escalate: escalation.exactOptional(),
  best: z.strictObject({ metric: shellText, direction: z.enum(["min", "max"]) }).exactOptional(),
  againOn: z.string().exactOptional(),
  counts: z.string().exactOptional(),
  carry: carry.exactOptional(),
  ending: ending.exactOptional(),
});

const forEachNode = z.strictObject({
  ...base,
  ...repeats,
  kind: z.literal("for-each"),
  items,
  max: z.int().exactOptional(),
  finishes: z.literal(true).exactOptional(),
  minRate: z.number().exactOptional(),
  eachMs: z.number().exactOptional(),
  atMost: z.int(),
  spread: z
    .strictObject({
      input: z.string(),
      batch: z.int().exactOptional(),
      maxParallel: z.int().exactOptional(),
    })
    .exactOptional(),
  isolation: z.enum(["shared", "worktree"]),
  capped: z.literal(true).exactOptional(),
  attempts: attempts.exactOptional(),
  gather: z.enum(["iterations", "outputs"]).exactOptional(),
  timeoutMs,
});

const node: z.ZodType<Node> = z.discriminatedUnion("kind", [
  z.strictObject({
    ...base,
    kind: z.literal("agent"),
    call: agentCall,
    judges: z
      .strictObject({
        node: z.string(),
        field: z.string().exactOptional(),
        value: reference.exactOptional(),
      })
      .exactOptional(),
  }),
  shellNode,
  scriptNode,
  approvalNode,
  loopNode,
  forEachNode,
  z.strictObject({ ...base, kind: z.literal("call"), call, timeoutMs }),
  z.strictObject({
    ...base,
    kind: z.literal("parallel"),
    body: graph,
    lists: z.strictObject({ id: z.string(), output: z.string() }),
    agree: z.enum(["unanimous", "2/3", "majority"]).exactOptional(),
  }),
  z.strictObject({ ...base, kind: z.literal("cancel"), reason: text }),
]);

const limits = {
  usd: z.number().exactOptional(),
  tokens: z.number().exactOptional(),
  minutes: z.number().exactOptional(),
};

const input = z.strictObject({
  default: z.string().exactOptional(),
  description: z.string().exactOptional(),
});

const namedAgent = z.strictObject({
  agent: z.string().exactOptional(),
  model: z.string().exactOptional(),
  instructions: z.string().exactOptional(),
  tools: agentTools.exactOptional(),
  settings: agentSettings.exactOptional(),
  schema: json.exactOptional(),
});

/** A plan as it comes back from a log. */
export const planSchema: z.ZodType<Plan> = z.lazy(() =>
  z.strictObject({
    name: z.string(),
    description: z.string().exactOptional(),
    dialect: z.string(),
    naming: z.literal("dotted").exactOptional(),
    agent: z.string().exactOptional(),
    model: z.string().exactOptional(),
    inputs: z.record(z.string(), input),
    agents: z.record(z.string(), namedAgent),
    coordinator: z.string().exactOptional(),
    budget: z.strictObject({ ...limits, warnings: z.array(z.strictObject(limits)).exactOptional() }),
    patienceMs: z.number().exactOptional(),
    prices: modelPrices.exactOptional(),
    walls: wallSettings.exactOptional(),
    series: seriesSettings.exactOptional(),
    body: graph,
    workflows: z.record(z.string(), planSchema),
  }),
);
