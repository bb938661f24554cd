import type { z } from "zod";
import * as schema from "../../src/dialects/native/schema.ts";
import type { Json } from "../../src/ports/json.ts";
import { code, table, valuesOf } from "./markdown.ts";

/** What people read about one key of a workflow file. */
export interface Key {
  readonly what: string;
  /** What may stand there, where the schema does not say it. */
  readonly values?: string;
  /** What holds when the key is left out. */
  readonly fallback?: Json;
}

type Fields = Readonly<Record<string, z.ZodType>>;
type Words<F extends Fields> = { readonly [K in keyof F]: Key };

const text = "text";
const duration = "duration";

const loop: Words<typeof schema.loopFields> = {
  prompt: { what: "The body: one agent call in each iteration, with this text." },
  command: { what: "The body: the same, with the text of the command file of this name." },
  nodes: { what: "The body: a graph of nodes, told anew in each iteration.", values: "list of nodes" },
  workflow: { what: "The body: another workflow, run to its end in each iteration." },
  with: { what: "The inputs of that workflow, by name." },
  message: { what: "What that workflow is told as its message; the run's own where left out." },
  until: { what: "Done when the agent gives this signal; see [Signals](#signals).", values: text },
  until_form: {
    what: "Which forms of a signal count: `tag` only, or `any`: plain words too.",
    fallback: "any",
  },
  fail_until: {
    what: "The agent gives up with this signal; the loop fails as `fail-signal`.",
    values: text,
  },
  until_bash: { what: "Done when this script exits 0; see [Checks](#checks).", values: "bash" },
  until_field: {
    what: "Done when this field of the structured answer is `true`; needs `output_format` on the node.",
    values: text,
  },
  until_expr: { what: "Done when this expression is true; see [Expressions](#expressions).", values: "CEL" },
  until_agent: {
    what: "Done when this agent, shown the iteration's output, judges that it is done.",
    values: "agent",
  },
  until_condition: {
    what: "Done when the agent, asked this yes/no question about the output, says yes.",
    values: text,
  },
  until_mode: {
    what: "`any`: one stop is enough. `all`: all must agree in the same iteration.",
    fallback: "any",
  },
  no_verdict: {
    what: "What it means that a judge or a question gave no answer: the loop is to `fail`, or to `continue` (a judge is asked once more first).",
    fallback: "fail",
  },
  judge_sees: {
    what: "What `until_agent` is shown: the `last` iteration, or `all` of them.",
    fallback: "last",
  },
  max_iterations: { what: "**Required** (not with `for_each`). The most iterations.", values: "1 … 10000" },
  on_max: { what: "What it means when they are used up and no stop fired.", fallback: "fail" },
  on_error: {
    what: "When an iteration fails: `fail` the loop, `continue` with the next one, `forget` it (the same, but what the one before gave stays the previous output), or `retry` the same one.",
    fallback: "fail",
  },
  retries: { what: "With `on_error: retry`: how often one iteration is repeated.", fallback: 1 },
  retry_delay: { what: "With `on_error: retry`: the pause between.", values: duration },
  fresh_context: {
    what: "`true`: every iteration is a new conversation. `false`: one conversation goes on.",
    fallback: false,
  },
  interactive: { what: "Pause for a person after each iteration; see [Gates](#gates).", fallback: false },
  gate_message: { what: "With `interactive`, required: what the person is asked.", values: text },
  signal_completes: {
    what: "With `interactive`: a stop that fires ends the loop at once; `false` asks the person then too.",
    fallback: true,
  },
  for_each: {
    what: "Run the body once for each item instead of until a stop.",
    values: "list, `$id.output`, or CEL",
  },
  max_concurrency: { what: "With `for_each`: items at work at a time.", fallback: 1 },
  isolation: {
    what: "With `for_each`: all items in the `shared` checkout, or each in a git `worktree` of its own, joined after it.",
    fallback: "shared",
  },
  delay: { what: "Pause before each iteration but the first.", values: duration },
  time_limit: { what: "The longest all iterations may take together.", values: duration },
  restarts: { what: "How often the loop begins anew, from its first iteration, after it failed." },
  restart_delay: { what: "With `restarts`: the pause before it does.", values: duration },
  output: {
    what: "What the node hands on: the `last` output, all of them (`cumulative`), or all that its nodes gave and its judge said, under headings (`transcript`).",
    fallback: "last",
  },
  accumulate: { what: "A variable of this name holds the outputs of all iterations so far.", values: "name" },
  check: { what: "How `until_bash` is run; see [the table below](#checks).", values: "mapping" },
  protect: { what: "Paths the agent may not change: put back before each check.", values: "list of globs" },
  no_progress: { what: "Give up after so many iterations without a new change or a new failure." },
  keep: {
    what: "`best`: leave the workspace as it was after the best iteration by `metric`.",
    fallback: "last",
  },
  metric: { what: "With `keep: best`: a script whose last line is a number.", values: "bash" },
  direction: { what: "With `keep: best`: whether `max` or `min` is best.", fallback: "max" },
};

const check: Words<typeof schema.checkFields> = {
  timeout: {
    what: "A check that takes longer is ended and counts as not done yet; 10m when left out.",
    values: duration,
  },
  retries: { what: "How often a red check is run again before it counts: for flaky tests.", fallback: 0 },
  baseline: {
    what: "Run the check before the first iteration; green means `nothing-to-do`, red is the first prompt's `$LOOP_CHECK_OUTPUT`.",
    fallback: false,
  },
};

const file: Words<typeof schema.documentFields> = {
  name: { what: "**Required.** The workflow's name." },
  description: { what: "What it is for, in a line." },
  interactive: { what: "Say `true` where a loop or an approval waits for a person.", fallback: false },
  agent: { what: "Who works where a node names nobody; `--agent` wins.", values: "agent" },
  provider: { what: "Another word for `agent`.", values: "agent" },
  model: { what: "The model, passed on to the agent; `--model` wins." },
  agents: { what: "Agents with a name of their own.", values: "mapping by name" },
  inputs: { what: "What a caller may give, read as `$INPUTS.name`.", values: "mapping by name" },
  budget: { what: "What the whole run may take, resumes included.", values: "mapping" },
  max_concurrency: { what: "Nodes of a graph at work at a time.", fallback: 8 },
  time_limit: {
    what: "The longest the whole run may take while something runs in it; it fails as `timeout` then.",
    values: duration,
  },
  nodes: { what: "**Required.** The nodes.", values: "list of nodes" },
};

const node: Words<typeof schema.nodeFields> = {
  id: { what: "**Required.** A letter or `_`, then letters, digits, `_`, `-`; at most 100.", values: text },
  description: { what: "For people." },
  depends_on: { what: "Ids of the nodes that come first.", fallback: [] },
  when: { what: "Run only if this holds; else the node is skipped.", values: "condition" },
  trigger_rule: { what: "Which ends of the nodes before let this one run.", fallback: "all_success" },
  idle_timeout: { what: "Silence after which an agent is stopped.", values: duration, fallback: "30m" },
  timeout: {
    what: "The longest one call may take; 2m for `bash` and `script`, else none.",
    values: duration,
  },
  retry: { what: "Repeat a node that failed (not on loops).", values: "mapping" },
  agent: { what: "Who works here, and in the loop's body.", values: "agent" },
  provider: { what: "Another word for `agent`.", values: "agent" },
  model: { what: "The model here, and in the loop's body." },
  output_format: {
    what: "A JSON schema: the agent is to answer with data of this form.",
    values: "JSON schema",
  },
  output_required: { what: "An answer that does not keep `output_format` fails the node.", fallback: false },
  message: { what: "What the called `workflow` is told as its message; the run's own where left out." },
  with: { what: "The inputs of the called `workflow`." },
  runtime: { what: "**Required** with `script`: what runs it." },
  deps: { what: "Packages for a `uv` script." },
  prompt: { what: "Kind: one agent call." },
  command: { what: "Kind: one agent call, its text in a command file of this name." },
  bash: { what: "Kind: a bash script; its output is the node's.", values: "bash" },
  script: { what: "Kind: a program, in place or as the path of a file." },
  loop: { what: "Kind: [a loop](writing-loops.md#the-keys-of-a-loop).", values: "mapping" },
  loop_group: { what: "Another word for `loop`.", values: "mapping" },
  approval: { what: "Kind: waits for a person.", values: "mapping" },
  cancel: { what: "Kind: ends the run as cancelled, for this reason." },
  workflow: { what: "Kind: runs another workflow, by path or name." },
};

const retry: Words<typeof schema.retryFields> = {
  max_attempts: { what: "How often it is repeated.", fallback: 1 },
  delay_ms: { what: "Milliseconds between.", fallback: 3000 },
  on_error: {
    what: "`transient`: only faults that may pass, and timeouts (agents' default). `all`: any (default of `bash` and `script`).",
  },
};

const approval: Words<typeof schema.approvalFields> = {
  message: { what: "**Required.** What the person is asked." },
  capture_response: { what: "The approver's text becomes the node's output.", fallback: false },
  on_reject: {
    what: "Rework instead of the end: a rejection goes to an agent, then the gate opens again.",
    values: "mapping",
  },
};

const onReject: Words<typeof schema.onRejectFields> = {
  prompt: { what: "**Required.** What the agent is asked; `$REJECTION_REASON` is the person's." },
  max_attempts: { what: "How often; the next rejection ends the run.", fallback: 3 },
};

const agent: Words<typeof schema.agentFields> = {
  agent: { what: "The agent behind the name.", values: "agent" },
  provider: { what: "Another word for `agent`.", values: "agent" },
  model: { what: "Its model." },
  instructions: { what: "Put before every prompt." },
  result_schema: { what: "The form of its answers; a judge's has a boolean `done`.", values: "JSON schema" },
};

const input: Words<typeof schema.inputFields> = {
  default: { what: "The value where none is given; without one the input must be given.", values: text },
  description: { what: "For people." },
  required: { what: "`false`: may be left out, and is empty then.", fallback: true },
};

const budget: Words<typeof schema.budgetFields> = {
  usd: { what: "US dollars, as far as the agents say what they cost.", values: "number" },
  tokens: { what: "Tokens, in and out." },
  minutes: { what: "Minutes in which something ran; waiting for people does not count.", values: "number" },
};

/** Every table of keys: the schema's fields and the words for them. */
export const keyTables: Readonly<
  Record<string, { readonly fields: Fields; readonly words: Readonly<Record<string, Key>> }>
> = {
  "loop-keys": { fields: schema.loopFields, words: loop },
  "check-keys": { fields: schema.checkFields, words: check },
  "file-keys": { fields: schema.documentFields, words: file },
  "node-keys": { fields: schema.nodeFields, words: node },
  "retry-keys": { fields: schema.retryFields, words: retry },
  "approval-keys": { fields: schema.approvalFields, words: approval },
  "on-reject-keys": { fields: schema.onRejectFields, words: onReject },
  "agent-keys": { fields: schema.agentFields, words: agent },
  "input-keys": { fields: schema.inputFields, words: input },
  "budget-keys": { fields: schema.budgetFields, words: budget },
};

/** One of them, in Markdown. */
export function keyTable(name: string): string {
  const { fields = {}, words = {} } = keyTables[name] ?? {};
  const rows = Object.entries(words).map(([key, { what, values, fallback }]) => [
    code(key),
    values ?? valuesOf(fields[key]),
    fallback === undefined ? "" : code(typeof fallback === "string" ? fallback : JSON.stringify(fallback)),
    what,
  ]);
  return table(["key", "value", "default", "meaning"], rows);
}
