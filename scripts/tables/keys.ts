import * as schema from "../../src/dialects/native/schema.ts";
import { extras, settings, tools } from "./agent-keys.ts";
import { checkWords } from "./check-keys.ts";
import { agent, budget, file, input } from "./header-keys.ts";
import { duration, type Fields, type Key, text, type Words } from "./key.ts";
import { code, table, valuesOf } from "./markdown.ts";
import { approval, onReject, wait } from "./pause-keys.ts";
import { wallWords } from "./wall-keys.ts";

const loop: Words<typeof schema.loopFields> = {
  prompt: { what: "The body: one agent call in each iteration, with this text." },
  command: { what: "The body: one agent call, with the text of the command file of this name." },
  nodes: { what: "The body: a graph of nodes, run in each iteration.", values: "list of nodes" },
  workflow: { what: "The body: another workflow, run to its end in each iteration." },
  with: { what: "The inputs of that workflow, by name." },
  message: { what: "The message to that workflow; default is the run's own." },
  until: { what: "Done when the agent gives this signal; see [Signals](#signals).", values: text },
  until_form: {
    what: "Which forms of a signal count: `tag` only, or `any` (plain words too).",
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
    what: "Done when this agent judges the iteration's output as done.",
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
    what: "If a judge or a question gives no answer: `fail` the loop, or `continue` it (a judge is asked once more first).",
    fallback: "fail",
  },
  judge_sees: {
    what: "What `until_agent` sees: the `last` iteration, or `all` of them. By default the goal, the diff, the tests before and now, and the check's output.",
  },
  max_iterations: {
    what: "**Required** (not with `for_each`). Maximum number of iterations.",
    values: "1 … 10000",
  },
  on_max: { what: "The result if all iterations ran and no stop fired.", fallback: "fail" },
  on_error: {
    what: "When an iteration fails: `fail` the loop, `continue` with the next one, `forget` it (continue, and keep the output of the iteration before it as the previous output), or `retry` it.",
    fallback: "fail",
  },
  retries: { what: "With `on_error: retry`: how often one iteration is retried.", fallback: 1 },
  retry_delay: { what: "With `on_error: retry`: the delay between attempts.", values: duration },
  fresh_context: {
    what: "`true`: every iteration is a new conversation. `false`: one conversation continues.",
    fallback: false,
  },
  interactive: { what: "Pause for a person after each iteration; see [Gates](#gates).", fallback: false },
  gate_message: { what: "Required with `interactive`: the question to the person.", values: text },
  signal_completes: {
    what: "With `interactive`: a stop that fires ends the loop at once; with `false` the person is asked first.",
    fallback: true,
  },
  for_each: {
    what: "Run the body once for each item instead of until a stop.",
    values: "list, `$id.output`, or CEL",
  },
  max_concurrency: {
    what: "With `for_each`: maximum items that run in parallel; with `attempts`: attempts.",
    fallback: 1,
  },
  isolation: {
    what: "With `for_each`: all items in the `shared` checkout, or each in its own git `worktree`, merged afterwards.",
    fallback: "shared",
  },
  spread: {
    what: "With `for_each: $INPUTS.name`: `command: plan` divides the list among jobs of a matrix; one machine runs all of it.",
  },
  batch: {
    what: "With `spread`: items in one job; by default as few as one matrix of 256 jobs can hold.",
    values: "1 … 1000",
  },
  max_parallel: { what: "With `spread`: jobs that run at the same time.", values: "1 … 256" },
  attempts: {
    what: "How many independent attempts are made at the loop, of which the best is kept; or `count`, `agents`, `models`, `first_green`, `pick`: see [Several attempts](loop-reference.md#several-attempts).",
    values: "2 … 20 or mapping",
  },
  escalate: {
    what: "The agent that takes over once the loop makes no progress: an `agent`, a `model`, or both, `after` that many iterations (default 2) without a new change or with the same failing tests, or that many failed runs in a row.",
    values: "mapping",
  },
  delay: { what: "Delay before each iteration except the first.", values: duration },
  time_limit: { what: "Time limit for all iterations together.", values: duration },
  restarts: { what: "How often a failed loop starts again from its first iteration." },
  restart_delay: { what: "With `restarts`: the delay before it starts again.", values: duration },
  output: {
    what: "The node's output: the `last` iteration's, all of them (`cumulative`), or all messages of its nodes and its judge, under headings (`transcript`).",
    fallback: "last",
  },
  accumulate: { what: "A variable of this name holds the outputs of all iterations so far.", values: "name" },
  check: { what: "How `until_bash` is run; see [the table below](#checks).", values: "mapping" },
  protect: { what: "Paths the agent may not change: restored before each check.", values: "list of globs" },
  allow: {
    what: "With `until_bash`: paths the agent may change although they are tests or configure the check's tools.",
    values: "list of globs",
  },
  on_protected_change: {
    what: "What happens when the agent changed protected files. `restore`: they are restored. `gate`: they are restored, a person sees the changes, and may approve them.",
    fallback: "restore",
  },
  review: {
    what: "With `until_bash`: once every other condition says done, an agent is asked whether the change makes the tests pass honestly. If not, the loop continues.",
    fallback: false,
  },
  no_progress: {
    what: "Give up after this many iterations with the same failing tests (`same_failure`), or without a new change or a new failure (`no_change`); a number counts for both.",
    values: "number or mapping",
  },
  keep: {
    what: "`best`: restore the workspace of the best iteration by `metric`.",
    fallback: "last",
  },
  metric: { what: "With `keep: best`: a script whose last line is a number.", values: "bash" },
  direction: { what: "With `keep: best`: whether `max` or `min` is best.", fallback: "max" },
};

const check: Words<typeof schema.checkFields> = checkWords;

const node: Words<typeof schema.nodeFields> = {
  id: { what: "**Required.** Letters, digits, `_`, `-`, dots; at most 100.", values: text },
  description: { what: "For people." },
  depends_on: { what: "Ids of the nodes this one waits for.", fallback: [] },
  when: { what: "Run only if this holds; else the node is skipped.", values: "condition" },
  trigger_rule: { what: "Which outcomes of its dependencies let this node run.", fallback: "all_success" },
  idle_timeout: { what: "Silence after which an agent is stopped.", values: duration, fallback: "30m" },
  timeout: { what: "Time limit for one call; 2m for `bash` and `script`, else none.", values: duration },
  on_timeout: {
    what: "Whether a `bash` or `script` that exceeds its `timeout` fails or counts as skipped.",
    fallback: "fail",
  },
  mutates_checkout: { what: "`false`: fails if files of the checkout change while it runs.", fallback: true },
  retry: { what: "Retry a failed node (not on loops).", values: "mapping" },
  agent: { what: "The agent of this node, and of the loop's body.", values: "agent" },
  provider: { what: "Alias of `agent`.", values: "agent" },
  model: { what: "The model of this node, and of the loop's body." },
  output_format: {
    what: "A JSON schema for the agent's answer, or for what a script prints.",
    values: "JSON schema",
  },
  output_required: {
    what: "An answer that violates `output_format` is requested again, at most twice, then fails the node. Default: `true`, in a loop `false`.",
  },
  systemPrompt: { what: "The system prompt of the agent." },
  context: {
    what: "`fresh`: a new conversation. `{resume: ID}`: the conversation of an earlier node. By default a node that runs alone at its depth of the graph continues the conversation of the last such node.",
    values: "`fresh`, `shared` or mapping",
  },
  network: wallWords.network,
  ...tools,
  ...settings,
  ...extras,
  message: { what: "The message to the called `workflow`; default is the run's own." },
  input: { what: "Archon's name for `message`." },
  with: {
    what: "The inputs of the called or included workflow; of a command file, as `$INPUTS.name`; of a script, as the variable `INPUTS_NAME`.",
    values: "mapping by name",
  },
  fan_out: {
    what: "Call the `workflow`, or the one under `include`, [once for each item of a list](#composing-workflows).",
    values: "mapping",
  },
  isolation: {
    what: `${wallWords.isolation.what} With \`fan_out\`, \`worktree\` gives each item a git worktree of its own instead, merged afterwards.`,
  },
  runtime: { what: "**Required** with `script`: the runtime." },
  deps: { what: "Packages for a `uv` script." },
  prompt: { what: "Kind: one agent call." },
  command: { what: "Kind: one agent call with the text of this command file." },
  bash: { what: "Kind: a bash script; its output is the node's.", values: "bash" },
  script: {
    what: "Kind: a program: its source, the path of a file, or its name in `.github/loops/scripts/` or `.archon/scripts/`.",
  },
  include: { what: "Kind: [the nodes of another workflow](#composing-workflows), in this graph." },
  loop: { what: "Kind: [a loop](writing-loops.md#the-keys-of-a-loop).", values: "mapping" },
  loop_group: { what: "Alias of `loop`.", values: "mapping" },
  approval: { what: "Kind: waits for a person.", values: "mapping" },
  cancel: { what: "Kind: ends the run as cancelled, for this reason." },
  wait: { what: "Kind: [waits](#waiting) for a time or an event.", values: "mapping" },
  workflow: { what: "Kind: runs another workflow, by path or name." },
};

const retry: Words<typeof schema.retryFields> = {
  max_attempts: { what: "Maximum number of retries.", fallback: 1 },
  delay_ms: { what: "Delay between attempts in milliseconds.", fallback: 3000 },
  on_error: {
    what: "`transient`: only errors that may pass, and timeouts (default of agents). `all`: every error (default of `bash` and `script`).",
  },
};

const fanOut: Words<typeof schema.fanOutFields> = {
  items: {
    what: "**Required.** A JSON list: `$id.output`, a field of it, `$INPUTS.name`, or the list as text.",
    values: text,
  },
  as: { what: "The name of an input that holds the item. It is also the called workflow's message." },
  max_parallel: { what: "Maximum items that run in parallel; default 5." },
  join: {
    what: "`all_done`: a failed item is an entry `{archon_failed: true, error, status}` of the output. `all_success`: it fails the node once all items are done. Default `all_done`.",
  },
};

/** All tables of keys: the schema's fields and their descriptions. */
export const keyTables: Readonly<
  Record<string, { readonly fields: Fields; readonly words: Readonly<Record<string, Key>> }>
> = {
  "loop-keys": { fields: schema.loopFields, words: loop },
  "check-keys": { fields: schema.checkFields, words: check },
  "file-keys": { fields: schema.documentFields, words: file },
  "node-keys": { fields: schema.nodeFields, words: node },
  "retry-keys": { fields: schema.retryFields, words: retry },
  "fan-out-keys": { fields: schema.fanOutFields, words: fanOut },
  "wait-keys": { fields: schema.waitFields, words: wait },
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
