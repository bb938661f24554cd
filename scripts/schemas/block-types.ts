import * as blocks from "../../src/dialects/blocks/schema.ts";
import { listOf, mapping, named, ref, type Schema, text } from "./mapping.ts";

const none = "No effect here.";
const textOrTexts: Schema = { anyOf: [text, listOf(text)] };

const commonWords = {
  type: "**Required.** What the block is: `linear`, `gate`, `synthesize`, `code`, `loop`, `workflow` or `dispatch`.",
  stateful: "Its soul remembers what was said in earlier calls of this block.",
  depends: "Blocks it follows.",
  error_route: "The block that follows where this one failed or left by the exit `error`.",
  inputs: "What it sees of others, by the names it sees it under: `{ from: BLOCK }`, or a path.",
  outputs: "Of a workflow block: what is kept of the child, by name.",
  exits: "Exits that conditional transitions may name.",
  exit_conditions: "By which exit it leaves, by texts or patterns in its output.",
  output_conditions: "By which exit it leaves, by conditions on its output.",
  routes: "What follows, by conditions on its output; one is the `default`.",
  retry_config: "Try it again where it failed.",
  timeout_seconds: "The longest it may take.",
  limits:
    "How long it may take: `max_duration_seconds`. Money and tokens are limited for the whole run only.",
  assertions: none,
  stall_thresholds: none,
};

const commonInner = (type: blocks.BlockType) => ({
  type: { const: type },
  depends: textOrTexts,
  inputs: named({ anyOf: [text, { type: "object", required: ["from"] }] }),
  exits: { type: "array", items: ref("exit") },
  exit_conditions: { type: "array", items: ref("exitCondition") },
  output_conditions: { type: "array", items: ref("outputCondition") },
  routes: { type: "array", items: ref("route") },
  retry_config: ref("retry"),
  limits: { anyOf: [ref("blockLimits"), { type: "null" }] },
});

const soulRef = "**Required.** The soul that works, of `souls` or a file of its own.";

/** The types of blocks, by name. */
export const blockTypes = {
  linear: mapping({
    title: "A block in which a soul works",
    fields: blocks.blockFields.linear,
    words: { ...commonWords, soul_ref: soulRef },
    inner: commonInner("linear"),
    required: ["type", "soul_ref"],
  }),
  gate: mapping({
    title: "A block in which a soul judges",
    fields: blocks.blockFields.gate,
    words: {
      ...commonWords,
      soul_ref: soulRef,
      eval_key: "**Required.** The block whose output it judges, or one of its inputs.",
      extract_field: "The field of the last entry of a judged list that is handed on.",
      pass: "The block that follows where it passes; has no effect in a loop.",
      fail: "The block that follows where it does not.",
    },
    inner: commonInner("gate"),
    required: ["type", "soul_ref", "eval_key"],
    rules: { dependencies: { pass: ["fail"], fail: ["pass"] } },
  }),
  code: mapping({
    title: "A block that is a program",
    fields: blocks.blockFields.code,
    words: {
      ...commonWords,
      code: "**Required.** A program that defines `main(data)`.",
      language: "`python`, or `javascript`.",
      allowed_imports: "The modules it may import, instead of the usual ones.",
    },
    inner: { ...commonInner("code"), code: text },
    required: ["type", "code"],
  }),
  loop: mapping({
    title: "A loop over blocks",
    fields: blocks.blockFields.loop,
    words: {
      ...commonWords,
      inner_block_refs: "**Required.** The blocks of each round, in order.",
      max_rounds: "The most rounds, 1 to 50; 5 where left out.",
      break_condition: "A condition on what the last block of a round gave; true ends the loop.",
      carry_context: "What a round sees of those before it.",
      break_on_exit: "The exit of a block that ends the loop at once.",
      retry_on_exit: "The exit of a block that ends the round at once; the next one begins.",
    },
    inner: {
      ...commonInner("loop"),
      inner_block_refs: { ...listOf(text), uniqueItems: true },
      max_rounds: { type: "integer", minimum: 1, maximum: 50 },
      break_condition: { anyOf: [ref("tests"), { type: "null" }] },
      carry_context: { anyOf: [ref("carry"), { type: "null" }] },
    },
    required: ["type", "inner_block_refs"],
  }),
  workflow: mapping({
    title: "A block that runs another workflow",
    fields: blocks.blockFields.workflow,
    words: {
      ...commonWords,
      workflow_ref: "**Required.** The workflow, by name or path.",
      max_depth: none,
      on_error: "`catch` makes its failure the exit `error`; `raise` fails.",
    },
    inner: { ...commonInner("workflow"), workflow_ref: text },
    required: ["type", "workflow_ref"],
  }),
  dispatch: mapping({
    title: "A block in which several souls work side by side",
    fields: blocks.blockFields.dispatch,
    words: { ...commonWords, exits: "**Required.** The tasks, and who does them." },
    inner: {
      ...commonInner("dispatch"),
      exits: { ...listOf(ref("branch")), maxItems: 50 },
    },
    required: ["type", "exits"],
  }),
  synthesize: mapping({
    title: "A block in which a soul combines the outputs of others",
    fields: blocks.blockFields.synthesize,
    words: {
      ...commonWords,
      soul_ref: soulRef,
      input_block_ids: "**Required.** The blocks whose outputs it combines.",
    },
    inner: { ...commonInner("synthesize"), input_block_ids: { type: "array", items: text, minItems: 1 } },
    required: ["type", "soul_ref", "input_block_ids"],
  }),
} satisfies Readonly<Record<blocks.BlockType, Schema>>;
