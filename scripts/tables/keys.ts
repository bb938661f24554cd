import * as schema from "../../src/dialects/native/schema.ts";
import { extras, settings, tools } from "./agent-keys.ts";
import { checkWords } from "./check-keys.ts";
import { agent, budget, file, input } from "./header-keys.ts";
import { duration, type Fields, keyOf, text, type Words } from "./key.ts";
import { loop } from "./loop-keys.ts";
import { code, table, valuesOf } from "./markdown.ts";
import { approval, onReject, wait } from "./pause-keys.ts";
import { wallWords } from "./wall-keys.ts";

const check: Words<typeof schema.checkFields> = checkWords;

const node: Words<typeof schema.nodeFields> = {
  id: { what: "**Required.** Letters, digits, `_`, `-`, dots; at most 100.", values: text },
  description: "A description for people who read the file.",
  depends_on: { what: "Ids of the nodes that this one waits for.", fallback: [] },
  when: {
    what: "The node runs only if this condition is true; otherwise it is skipped.",
    values: "condition",
  },
  trigger_rule: { what: "Which outcomes of its dependencies let this node run.", fallback: "all_success" },
  idle_timeout: {
    what: "How long an agent may be silent before it is stopped.",
    values: duration,
    fallback: "30m",
  },
  timeout: {
    what: "Time limit for one call; default 2m for `bash` and `script`, none for other nodes.",
    values: duration,
  },
  on_timeout: {
    what: "Whether a `bash` or `script` that exceeds its `timeout` fails or counts as skipped.",
    fallback: "fail",
  },
  mutates_checkout: {
    what: "`false`: the node fails if files of the checkout change while it runs.",
    fallback: true,
  },
  retry: { what: "Retry a failed node (not on loops).", values: "mapping" },
  agent: { what: "The agent of this node, and of the loop's body.", values: "agent" },
  provider: { what: "Alias of `agent`.", values: "agent" },
  model: "The model of this node, and of the loop's body.",
  output_format: {
    what: "A JSON schema for the agent's answer, or for what a script prints.",
    values: "JSON schema",
  },
  output_required:
    "`true`: an answer that violates `output_format` is requested again, at most twice, and then fails the node. Default: `true`; in a loop `false`.",
  systemPrompt: "The system prompt of the agent.",
  context: {
    what: "`fresh`: a new conversation. `{resume: ID}`: the conversation of an earlier node. By default a node that runs alone at its depth of the graph continues the conversation of the last such node.",
    values: "`fresh`, `shared` or mapping",
  },
  network: wallWords.network,
  ...tools,
  ...settings,
  ...extras,
  message: "The message to the called `workflow`; default is the run's own.",
  input: "Archon's name for `message`.",
  with: {
    what: "The inputs of the called or included workflow, of a command file (`$INPUTS.name`), or of a `bash` or `script` node (the environment variable `INPUTS_NAME`).",
    values: "mapping by name",
  },
  fan_out: {
    what: "Call the `workflow`, or the one under `include`, [once for each item of a list](#composing-workflows).",
    values: "mapping",
  },
  isolation: `${wallWords.isolation} With \`fan_out\`, \`worktree\` instead gives each item its own git worktree, which is merged afterwards.`,
  runtime: "**Required** with `script`: the runtime.",
  deps: "Packages for a `uv` script.",
  prompt: "Kind: one agent call.",
  command: "Kind: one agent call with the text of this command file.",
  bash: { what: "Kind: a bash script; its output is the node's.", values: "bash" },
  script:
    "Kind: a program, given as its source, the path of a file, or its name in `.github/loops/scripts/` or `.archon/scripts/`.",
  include: "Kind: [the nodes of another workflow](#composing-workflows), in this graph.",
  loop: { what: "Kind: [a loop](writing-loops.md#the-keys-of-a-loop).", values: "mapping" },
  loop_group: { what: "Alias of `loop`.", values: "mapping" },
  approval: { what: "Kind: waits for a person.", values: "mapping" },
  cancel: "Kind: ends the run as cancelled; the text is the reason.",
  wait: { what: "Kind: [waits](#waiting) for a time or an event.", values: "mapping" },
  workflow: "Kind: runs another workflow, by path or name.",
};

const retry: Words<typeof schema.retryFields> = {
  max_attempts: { what: "Maximum number of retries.", fallback: 1 },
  delay_ms: { what: "Delay between attempts in milliseconds.", fallback: 3000 },
  on_error:
    "`transient`: retry only temporary errors and timeouts (default for agents). `all`: retry every error (default for `bash` and `script`).",
};

const fanOut: Words<typeof schema.fanOutFields> = {
  items: {
    what: "**Required.** A JSON list: `$id.output`, a field of it, `$INPUTS.name`, or the list as text.",
    values: text,
  },
  as: "The name of an input that holds the item. It is also the called workflow's message.",
  max_parallel: "Maximum number of items that run in parallel; default 5.",
  join: "`all_done` (default): a failed item becomes an entry `{archon_failed: true, error, status}` in the output. `all_success`: a failed item fails the node once all items are done.",
};

/** All tables of keys: the schema's fields with their descriptions. */
export const keyTables = {
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
} satisfies Readonly<Record<string, { readonly fields: Fields; readonly words: Words<Fields> }>>;

/** One of them, in Markdown. */
export function keyTable({
  fields,
  words,
}: {
  readonly fields: Fields;
  readonly words: Words<Fields>;
}): string {
  const rows = Object.entries(words).map(([key, word]) => {
    const { what, values, fallback } = keyOf(word);
    const shown = typeof fallback === "string" ? fallback : JSON.stringify(fallback);
    return [code(key), values ?? valuesOf(fields[key]), fallback === undefined ? "" : code(shown), what];
  });
  return table(["key", "value", "default", "meaning"], rows);
}
