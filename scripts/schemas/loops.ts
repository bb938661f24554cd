import * as loops from "../../src/dialects/loops/schema.ts";
import { listOf, mapping, named, oneOf, ref, type Schema, text } from "./mapping.ts";

const name: Schema = {
  type: "string",
  maxLength: 100,
  pattern: "\\S",
  not: { pattern: "^(input|loop|(loop|env|step)\\..*)$" },
};
const parameters = named({});
const provider = {
  provider: "The provider of the model (`anthropic`, `openai`, `google`), or an agent of until-green.",
  model: "The model.",
};
const settings = {
  temperature: "The model's temperature, if the agent supports it.",
  max_tokens: "Maximum tokens of one answer, if the agent supports a limit.",
};
const overItems = ["items", "parallel", "max_workers", "min_success_rate", "timeout_per_item"];

const loop = (where: "list" | "step"): Schema =>
  mapping({
    title: where === "list" ? "A loop" : "The loop of a step",
    fields: loops.loopFields,
    words: {
      name: "**Required** in a list of loops. The loop's name, for texts and `needs`.",
      needs: "Steps and loops that must end first, in addition to those that its texts refer to.",
      workflow: "**Required.** The workflow to call in each iteration.",
      with: "The variables of that workflow, as texts with `{{names}}`.",
      mode: "`refine`: until the condition is met. `iterate`: once for each item.",
      items: "With `iterate`: a list, a text that contains one, or `file://PATH`.",
      max_iterations: "**Required.** Maximum number of iterations or items.",
      until: "A condition in plain words; after each iteration a model decides whether it is met.",
      on_failure: "What happens if an iteration fails: `halt`, `continue` with the next one, or `retry` it.",
      max_retries: "With `retry`: the number of retries; default 3.",
      retry_delay: "With `retry`: the delay between attempts.",
      accumulate: "The name of a variable with all outputs so far.",
      parallel: "With `iterate`: `true` runs items in parallel.",
      max_workers: "With `parallel`: maximum number of items that run at a time; default 3.",
      min_success_rate: "With `iterate`: the share of items that must succeed, from 0 to 1.",
      timeout_per_item: "With `iterate`: time limit for one item, retries included.",
      total_timeout: "Time limit for the whole loop.",
    },
    inner: {
      name,
      workflow: text,
      with: parameters,
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
    providers: "Several providers; the first one that is an agent is used.",
    name: "**Required.** The step's name, for texts and `needs`.",
    run: "Kind: one prompt, with `{{names}}`.",
    template: "Kind: another workflow, called once.",
    loop: "Kind: a loop with the step's name.",
    consensus: "Kind: several agents get the same prompt, and enough of them must agree.",
    needs: "Steps and loops that must end first, in addition to those that its texts refer to.",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text people write
    if: 'The step runs only if this is true: `${{ name == "VALUE" }}`, or a text other than `false`, `0` and the empty text.',
    on_failure: "What happens if it fails: `halt`, `continue` with an empty output, or `retry`.",
    max_retries: "With `retry`: the number of retries; default 3.",
    retry_delay: "With `retry`: the delay between attempts.",
    timeout: "Time limit for one answer.",
  },
  inner: {
    name,
    run: text,
    template: ref("template"),
    loop: ref("stepLoop"),
    consensus: ref("consensus"),
    providers: listOf(ref("provider")),
  },
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
    description: "The purpose of the workflow.",
    execution: "The agent that answers, and the number of steps at a time.",
    env: "The values of `{{env.NAME}}`.",
    steps: "Steps, in order; the key may occur several times.",
    loops: "Loops, in order; the key may occur several times.",
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
      words: { name: "**Required.** The workflow.", with: "Its variables, as texts with `{{names}}`." },
      inner: { name: text, with: parameters },
      required: ["name"],
    }),
    consensus: mapping({
      title: "A question to several agents",
      fields: loops.consensusFields,
      words: {
        prompt: "**Required.** The prompt, with `{{names}}`.",
        executions: "**Required.** The agents, 2 to 20.",
        require: "**Required.** How many must agree.",
        timeout: "Time limit for one answer.",
      },
      inner: { prompt: text, executions: { type: "array", items: ref("voter"), minItems: 2, maxItems: 20 } },
      required: ["prompt", "executions", "require"],
      ignored: loops.ignoredInConsensus,
    }),
    voter: mapping({
      title: "One of these agents",
      fields: loops.executionItemFields,
      words: { ...provider, ...settings, timeout: "Time limit for its answer." },
    }),
    execution: mapping({
      title: "The agent, and how many steps run at a time",
      fields: loops.executionFields,
      words: {
        ...provider,
        ...settings,
        providers: "Several providers; the first one that is an agent is used.",
        timeout: "Time limit for one answer.",
        parallel: "`true` runs steps in parallel.",
        max_workers: "With `parallel`: how many run at a time; default 3.",
        on_error: "`continue`: steps may fail. Anything else: the first failure halts the workflow.",
      },
      inner: { providers: listOf(ref("provider")) },
      ignored: loops.ignoredInExecution,
    }),
    provider: mapping({ title: "A provider", fields: loops.providerFields, words: provider }),
  },
};
