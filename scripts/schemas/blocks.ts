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
      id: "The name it stands under.",
      kind: "`soul`.",
      name: "For people.",
      role: "For people.",
      system_prompt: "**Required.** Its instructions.",
      provider: "The provider of the model (`anthropic`, `openai`, `google`), or an agent of until-green.",
      model_name: "The model.",
      tools: "The only tools it may use.",
      required_tool_calls: none,
      max_tool_iterations: "The most turns of one call.",
      temperature: "The model's temperature, where the agent takes one.",
      max_tokens: "The most tokens of one answer, where the agent takes a limit.",
      modified_at: none,
      assertions: none,
    },
    inner: { system_prompt: text },
    required: ["system_prompt"],
    rules: { patternProperties: { "^avatar": anything } },
  }),
  carry: mapping({
    title: "What a round sees of those before it",
    fields: blocks.carryFields,
    words: {
      enabled: "`false` switches it off.",
      mode: "`last` round, or `all` of them.",
      source_blocks: "The blocks whose outputs are carried; all of the loop where left out.",
      inject_as: "The name it gets; `previous_round_context` where left out.",
    },
  }),
  condition: mapping({
    title: "A condition",
    fields: blocks.conditionFields,
    words: {
      eval_key: "**Required.** The way to a field of the output, where that is a JSON object.",
      operator: "**Required.** How it is compared.",
      value: "With what.",
    },
    inner: { operator: { enum: operatorNames }, value: anything },
    required: ["eval_key", "operator"],
  }),
  group: mapping({
    title: "Several conditions",
    fields: blocks.groupFields,
    words: { combinator: "`and`, where left out, or `or`.", conditions: "**Required.** The conditions." },
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
      id: "**Required.** The name under which others find what it gave: `BLOCK.ID`.",
      label: "For people.",
      soul_ref: "**Required.** The soul that does it.",
      task: "**Required.** What it is to do.",
    },
    inner: { task: text },
    required: ["id", "soul_ref", "task"],
  }),
  exitCondition: mapping({
    title: "An exit by what the output says",
    fields: blocks.exitConditionFields,
    words: {
      contains: "A text in the output.",
      regex: "A pattern that matches somewhere in it.",
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
      default: "Taken where no other is.",
    },
    inner: { condition_group: ref("tests") },
    required: ["case_id"],
  }),
  route: mapping({
    title: "A way on by conditions on the output",
    fields: blocks.routeFields,
    words: {
      case: "**Required.** The exit.",
      when: "The conditions.",
      goto: "**Required.** The block that follows; null is the end.",
      default: "Taken where no other is.",
    },
    inner: { when: ref("tests") },
    required: ["case", "goto"],
  }),
  retry: mapping({
    title: "How a failed block is tried again",
    fields: blocks.retryFields,
    words: {
      max_attempts: "Attempts in all, 1 to 20; 3 where left out.",
      backoff: "`exponential` doubles each pause.",
      backoff_base_seconds: "The first pause, 0.1 to 60 seconds; 1 where left out.",
      non_retryable_errors: none,
    },
  }),
  limits: mapping({
    title: "What the run may take",
    fields: blocks.limitFields,
    words: {
      max_duration_seconds: "Seconds in which something ran.",
      cost_cap_usd: "US dollars.",
      token_cap: "Tokens, in and out.",
      on_exceed: "`fail` ends the run; `warn` gives a notice, and the run continues.",
      warn_at_pct: "The part of a limit at which the run gives a notice; 0.8 where left out.",
    },
  }),
  blockLimits: mapping({
    title: "What a block may take",
    fields: blocks.blockLimitFields,
    words: {
      max_duration_seconds: "How long it may take, as with `timeout_seconds`.",
      cost_cap_usd: none,
      token_cap: none,
      on_exceed: "`fail`. No effect with `warn`.",
    },
  }),
  transition: mapping({
    title: "What follows a block",
    fields: blocks.transitionFields,
    words: { from: "**Required.** The block.", to: "**Required.** What follows it; null is the end." },
    required: ["from", "to"],
  }),
  head: mapping({
    title: "How the blocks hang together",
    fields: blocks.workflowFields,
    words: {
      name: "**Required.** The workflow's name.",
      description: "What it is for.",
      entry: "**Required.** The block it starts with.",
      transitions: "What follows a block, one for each at most.",
      conditional_transitions: "What follows a block, by the exit it left by; `default` for any other.",
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

/** Files of blocks, as Runsight has them. */
export const blocksSchema: Schema = {
  ...mapping({
    title: "A file of blocks, as Runsight has them",
    fields: blocks.documentFields,
    words: {
      version: '`"1.0"` is all there is.',
      id: "The workflow's id.",
      kind: "`workflow`.",
      workflow: "**Required.** Its name, where it begins, what follows what.",
      blocks: "**Required.** The blocks, by id.",
      souls: "The agents of the workflow, by id.",
      tools: none,
      enabled: none,
      config: none,
      interface: "Its `inputs`: what callers may give.",
      inputs: "What callers may give, by name.",
      limits: "What the run may take.",
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
