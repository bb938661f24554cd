import * as loops from "../../src/dialects/loops/schema.ts";
import { listOf, mapping, named, oneOf, ref, type Schema, text } from "./mapping.ts";

const name: Schema = {
  type: "string",
  maxLength: 100,
  pattern: "\\S",
  not: { pattern: "^(input|loop|(loop|env|step)\\..*)$" },
};
const given = named({});
const provider = {
  provider: "The provider of the model (`anthropic`, `openai`, `google`), or an agent of until-green.",
  model: "The model.",
};
const settings = {
  temperature: "The model's temperature, where the agent takes one.",
  max_tokens: "The most tokens of one answer, where the agent takes a limit.",
};
const overItems = ["items", "parallel", "max_workers", "min_success_rate", "timeout_per_item"];

const loop = (where: "list" | "step"): Schema =>
  mapping({
    title: where === "list" ? "A loop" : "The loop of a step",
    fields: loops.loopFields,
    words: {
      name: "**Required** in a list of loops. What texts and `needs` call it.",
      needs: "Steps and loops that must finish first, besides those that its texts name.",
      workflow: "**Required.** The workflow it calls in each iteration.",
      with: "What that workflow is given, as texts with `{{names}}`.",
      mode: "`refine`: until the condition is met. `iterate`: once for each item.",
      items: "With `iterate`: a list, a text that gives one, or `file://PATH`.",
      max_iterations: "**Required.** The most iterations, or items.",
      until: "A condition in plain words; a model is asked after each iteration whether it is met.",
      on_failure: "What a failed iteration means: `halt`, `continue` with the next, or `retry` it.",
      max_retries: "With `retry`: how often; 3 where left out.",
      retry_delay: "With `retry`: the pause between.",
      accumulate: "The name under which later texts have every output.",
      parallel: "With `iterate`: items side by side.",
      max_workers: "With `parallel`: how many at a time; 3 where left out.",
      min_success_rate: "With `iterate`: the share of items that must go well, from 0 to 1.",
      timeout_per_item: "With `iterate`: the longest one item may take, its retries included.",
      total_timeout: "The longest all of it may take.",
    },
    inner: {
      name,
      workflow: text,
      with: given,
      items: { anyOf: [{ type: "array" }, text] },
      max_iterations: { type: "integer", minimum: 1, maximum: 10_000 },
      until: text,
      accumulate: text,
    },
    required: [...(where === "list" ? (["name"] as const) : []), "workflow", "max_iterations"],
    rules: {
      if: { properties: { mode: { const: "iterate" } }, required: ["mode"] },
      // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
      then: { required: ["items"] },
      else: {
        required: ["until"],
        properties: Object.fromEntries(overItems.map((key) => [key, { const: false }])),
      },
    },
  });

const step = mapping({
  title: "A step",
  fields: loops.stepFields,
  words: {
    ...provider,
    ...settings,
    name: "**Required.** What texts and `needs` call it.",
    run: "Kind: one prompt, with `{{names}}`.",
    template: "Kind: another workflow, called once.",
    loop: "Kind: a loop that bears the step's name.",
    consensus: "Kind: several agents are asked the same, and enough of them must agree.",
    needs: "Steps and loops that must finish first, besides those that its texts name.",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: what people write
    if: 'Run only if this holds: `${{ name == "VALUE" }}`, or a text that says more than `false` or `0`.',
    on_failure: "What its failure means: `halt`, `continue` with an empty output, or `retry`.",
    max_retries: "With `retry`: how often; 3 where left out.",
    retry_delay: "With `retry`: the pause between.",
    timeout: "The longest one answer may take.",
  },
  inner: { name, run: text, template: ref("template"), loop: ref("stepLoop"), consensus: ref("consensus") },
  required: ["name"],
  ignored: loops.ignoredInStep,
  rules: oneOf(loops.stepKinds),
});

const elements: Schema = { type: ["array", "null"] };

const document = mapping({
  title: "A workflow of mcp-cli",
  fields: {
    ...loops.documentFields,
    steps: loops.documentFields.execution,
    loops: loops.documentFields.execution,
  },
  words: {
    $schema: "`workflow/v2.0`.",
    name: "**Required.** The workflow's name.",
    version: "The file's own version.",
    description: "What it is for.",
    execution: "The agent that answers, and the number of steps at a time.",
    env: "Texts that `{{env.NAME}}` stands for.",
    steps: "Steps in order; the key may stand several times.",
    loops: "Loops in order; the key may stand several times.",
  },
  inner: {
    $schema: { const: "workflow/v2.0" },
    name: text,
    execution: ref("execution"),
    steps: { ...elements, items: ref("step") },
    loops: { ...elements, items: ref("loop") },
  },
  required: ["name"],
  rules: { anyOf: [{ required: ["steps"] }, { required: ["loops"] }] },
});

/** Files of mcp-cli: `loops:`. */
export const loopsSchema: Schema = {
  ...document,
  definitions: {
    step,
    loop: loop("list"),
    stepLoop: loop("step"),
    template: mapping({
      title: "A workflow that is called once",
      fields: loops.templateFields,
      words: { name: "**Required.** The workflow.", with: "What it is given, as texts with `{{names}}`." },
      inner: { name: text, with: given },
      required: ["name"],
    }),
    consensus: mapping({
      title: "A question to several agents",
      fields: loops.consensusFields,
      words: {
        prompt: "**Required.** What each is asked, with `{{names}}`.",
        executions: "**Required.** Who is asked: 2 to 20 agents.",
        require: "**Required.** How many must agree.",
        timeout: "The longest one answer may take.",
      },
      inner: { prompt: text, executions: { type: "array", items: ref("voter"), minItems: 2, maxItems: 20 } },
      required: ["prompt", "executions", "require"],
    }),
    voter: mapping({
      title: "One of these agents",
      fields: loops.executionItemFields,
      words: { ...provider, ...settings, timeout: "The longest its answer may take." },
    }),
    execution: mapping({
      title: "The agent that answers, and the number of steps at a time",
      fields: loops.executionFields,
      words: {
        ...provider,
        ...settings,
        providers: "Several providers; the first that is an agent answers.",
        timeout: "The longest one answer may take.",
        parallel: "Steps side by side.",
        max_workers: "With `parallel`: how many at a time; 3 where left out.",
        on_error: "`continue`: steps may fail. Anything else: the first failure halts the workflow.",
      },
      inner: { providers: listOf(ref("provider")) },
      ignored: loops.ignoredInExecution,
    }),
    provider: mapping({ title: "A provider", fields: loops.providerFields, words: provider }),
  },
};
