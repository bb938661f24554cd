import * as blocks from "../../src/dialects/blocks/schema.ts";
import { operatorNames } from "../../src/expressions/field-tests.ts";
import { blockTypes } from "./block-types.ts";
import { listOf, mapping, named, ref, type Schema, text } from "./mapping.ts";

const blockId = "^(?!(?:workflow|results|shared_memory|metadata)$)[A-Za-z_][A-Za-z0-9_-]{0,99}$";
const none = "No effect here.";
const anything: Schema = {};

const definitions = {
  ...blockTypes,
  soul: mapping({
    title: "A soul",
    fields: blocks.soulFields,
    words: {
      id: "The soul's id.",
      kind: "`soul`.",
      name: "For people.",
      role: "For people.",
      system_prompt: "**Required.** Its instructions.",
      provider: "The provider of the model (`anthropic`, `openai`, `google`), or an agent of until-green.",
      model_name: "The model.",
      tools: "The only tools it may use.",
      required_tool_calls: none,
      max_tool_iterations: "Maximum turns of one call.",
      temperature: "The model's temperature, if the agent supports it.",
      max_tokens: "Maximum tokens of one answer, if the agent supports a limit.",
      modified_at: none,
      assertions: none,
    },
    inner: { system_prompt: text },
    required: ["system_prompt"],
    rules: { patternProperties: { "^avatar": anything } },
  }),
  carry: mapping({
    title: "Context from earlier rounds",
    fields: blocks.carryFields,
    words: {
      enabled: "`false` turns it off.",
      mode: "The `last` round, or `all` rounds.",
      source_blocks: "The blocks whose outputs it sees; default is all blocks of the loop.",
      inject_as: "The name under which it sees them; default `previous_round_context`.",
    },
  }),
  condition: mapping({
    title: "A condition",
    fields: blocks.conditionFields,
    words: {
      eval_key: "**Required.** The path of a field, if the output is a JSON object.",
      operator: "**Required.** The comparison.",
      value: "The value to compare with.",
    },
    inner: { operator: { enum: operatorNames }, value: anything },
    required: ["eval_key", "operator"],
  }),
  group: mapping({
    title: "Several conditions",
    fields: blocks.groupFields,
    words: { combinator: "`and` (default) or `or`.", conditions: "**Required.** The conditions." },
    inner: { combinator: { enum: ["and", "or"] }, conditions: listOf(ref("condition")) },
    required: ["conditions"],
  }),
  tests: { anyOf: [ref("condition"), ref("group")] },
  exit: mapping({
    title: "An exit",
    fields: blocks.exitFields,
    words: { id: "Its name.", label: "For people." },
  }),
  branch: mapping({
    title: "A task of a dispatch",
    fields: blocks.branchFields,
    words: {
      id: "**Required.** Its name; other blocks refer to its output as `BLOCK.ID`.",
      label: "For people.",
      soul_ref: "**Required.** The soul that performs the task.",
      task: "**Required.** The task, as a prompt.",
    },
    inner: { task: text },
    required: ["id", "soul_ref", "task"],
  }),
  exitCondition: mapping({
    title: "An exit by text in the output",
    fields: blocks.exitConditionFields,
    words: {
      contains: "Text that the output contains.",
      regex: "A pattern that matches part of the output.",
      exit_handle: "**Required.** The exit.",
    },
    required: ["exit_handle"],
    rules: { anyOf: [{ required: ["contains"] }, { required: ["regex"] }] },
  }),
  outputCondition: mapping({
    title: "An exit by conditions on the output",
    fields: blocks.outputConditionFields,
    words: {
      case_id: "**Required.** The exit.",
      condition_group: "The conditions.",
      default: "`true`: used if no other one applies.",
    },
    inner: { condition_group: ref("tests") },
    required: ["case_id"],
  }),
  route: mapping({
    title: "A route by conditions on the output",
    fields: blocks.routeFields,
    words: {
      case: "**Required.** The exit.",
      when: "The conditions.",
      goto: "**Required.** The next block; `null` ends the workflow.",
      default: "`true`: used if no other one applies.",
    },
    inner: { when: ref("tests") },
    required: ["case", "goto"],
  }),
  retry: mapping({
    title: "Retries of a failed block",
    fields: blocks.retryFields,
    words: {
      max_attempts: "Maximum number of attempts, 1 to 20; default 3.",
      backoff: "`exponential` doubles each delay.",
      backoff_base_seconds: "The first delay, 0.1 to 60 seconds; default 1.",
      non_retryable_errors: none,
    },
  }),
  limits: mapping({
    title: "Limits of the run",
    fields: blocks.limitFields,
    words: {
      max_duration_seconds: "Active time in seconds.",
      cost_cap_usd: "US dollars.",
      token_cap: "Tokens, input plus output.",
      on_exceed: "`fail` ends the run; `warn` gives a notice, and the run continues.",
      warn_at_pct: "The share of a limit at which the run gives a notice; default 0.8.",
    },
  }),
  blockLimits: mapping({
    title: "Limits of a block",
    fields: blocks.blockLimitFields,
    words: {
      max_duration_seconds: "Time limit, like `timeout_seconds`.",
      cost_cap_usd: none,
      token_cap: none,
      on_exceed: "`fail`. No effect with `warn`.",
    },
  }),
  transition: mapping({
    title: "A transition",
    fields: blocks.transitionFields,
    words: {
      from: "**Required.** The block.",
      to: "**Required.** The next block; `null` ends the workflow.",
    },
    required: ["from", "to"],
  }),
  head: mapping({
    title: "The connections of the blocks",
    fields: blocks.workflowFields,
    words: {
      name: "**Required.** The workflow's name.",
      description: "The purpose of the workflow.",
      entry: "**Required.** The first block.",
      transitions: "The next block of a block, at most one each.",
      conditional_transitions:
        "The next block of a block for each of its exits; `default` for any other exit.",
    },
    inner: {
      name: text,
      entry: text,
      transitions: { type: ["array", "null"], items: ref("transition") },
      conditional_transitions: {
        type: ["array", "null"],
        items: { ...named({ type: ["string", "null"] }), required: ["from"] },
      },
    },
    required: ["name", "entry"],
    rules: { additionalProperties: true },
  }),
} satisfies Readonly<Record<string, Schema>>;

/** Runsight's workflows. */
export const blocksSchema: Schema = {
  ...mapping({
    title: "A Runsight workflow",
    fields: blocks.documentFields,
    words: {
      version: 'Must be `"1.0"`.',
      id: "The workflow's id.",
      kind: "`workflow`.",
      workflow: "**Required.** The name, the first block and the transitions.",
      blocks: "**Required.** The blocks, by id.",
      souls: "The agents of the workflow, by id.",
      tools: none,
      enabled: none,
      config: none,
      interface: "Its `inputs`: the inputs of the workflow.",
      inputs: "The inputs of the workflow, by name.",
      limits: "Limits of the run.",
      eval: none,
    },
    inner: {
      version: { enum: ["1.0", 1] },
      id: { type: "string", pattern: "^[a-z][a-z0-9_-]{1,98}[a-z0-9]$" },
      workflow: ref("head"),
      blocks: { ...named({ oneOf: Object.keys(blockTypes).map(ref) }, blockId), minProperties: 1 },
      souls: { anyOf: [named(ref("soul")), { type: "null" }] },
      limits: { anyOf: [ref("limits"), { type: "null" }] },
    },
    required: ["workflow", "blocks"],
    rules: { additionalProperties: true },
  }),
  definitions,
};
