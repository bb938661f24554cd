import * as blocks from "../../src/dialects/blocks/schema.ts";
import { listOf, mapping, named, ref, type Schema, text } from "./mapping.ts";

const none = "No effect here.";
const textOrTexts: Schema = { anyOf: [text, listOf(text)] };

const commonWords = {
  type: "**Required.** The type of the block: `linear`, `gate`, `synthesize`, `code`, `loop`, `workflow` or `dispatch`.",
  stateful: "`true`: its soul remembers earlier calls of this block.",
  depends: "Blocks that must end first.",
  error_route: "The next block if this one fails or takes the exit `error`.",
  inputs: "Outputs of other blocks that it sees, by name: `{ from: BLOCK }`, or a path.",
  outputs: "For a `workflow` block: the outputs of the called workflow to keep, by name.",
  exits: "Its exits, for conditional transitions.",
  exit_conditions: "Which exit it takes, by texts or patterns in its output.",
  output_conditions: "Which exit it takes, by conditions on its output.",
  routes: "The next block, by conditions on its output; one route is the `default`.",
  retry_config: "How it is retried if it fails.",
  timeout_seconds: "Time limit in seconds.",
  limits: "Its time limit: `max_duration_seconds`. Money and tokens are limited for the whole run only.",
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

const soulRef = "**Required.** The soul, from `souls` or a file of its own.";

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
      extract_field:
        "If the judged output is a list: the field of its last entry that becomes the gate's output.",
      pass: "The next block if the verdict is pass; no effect in a loop.",
      fail: "The next block if the verdict is fail.",
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
      max_rounds: "Maximum number of rounds, 1 to 50; default 5.",
      break_condition: "A condition on the output of a round's last block; if it holds, the loop ends.",
      carry_context: "What a round sees of earlier rounds.",
      break_on_exit: "An exit of a block that ends the loop at once.",
      retry_on_exit: "An exit of a block that ends the round at once and starts the next one.",
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
      on_error: "If the called workflow fails: `catch` takes the exit `error`, `raise` fails the block.",
    },
    inner: { ...commonInner("workflow"), workflow_ref: text },
    required: ["type", "workflow_ref"],
  }),
  dispatch: mapping({
    title: "A block in which several souls work in parallel",
    fields: blocks.blockFields.dispatch,
    words: { ...commonWords, exits: "**Required.** The tasks and their souls." },
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
