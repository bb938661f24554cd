import * as steps from "../../src/dialects/steps/schema.ts";
import { anySchema, listOf, mapping, named, ref, type Schema, text } from "./mapping.ts";

const topId = "^[a-z][a-z0-9_-]{0,63}$";
const innerId = "^[a-zA-Z][a-zA-Z0-9_-]{0,63}$";
const notWithForEach = ["maxIterations", "until", "untilAgent"];
const someDelay = { required: ["delay"], properties: { delay: { pattern: "[1-9]" } } };

const agent = mapping({
  title: "An agent",
  fields: steps.agentFields,
  words: {
    description: "**Required.** The agent's purpose; also its instructions if it has no `prompt`.",
    prompt: "Its instructions; `@path` reads them from a file.",
    model: "Its model.",
    tools: "The only tools it may use.",
    disallowedTools: "Tools it may not use.",
    maxTurns: "Maximum turns of one call.",
    temperature: "The model's temperature, if the agent supports it.",
    topP: "The model's `top_p`, if the agent supports it.",
    resultSchema: "The JSON schema of its answers; a judge's has a required boolean `done`.",
  },
  inner: { description: text, resultSchema: anySchema },
  required: ["description"],
});

const step = (where: "top" | "body"): Schema =>
  mapping({
    title: where === "top" ? "A step" : "A step of a loop's body",
    fields: steps.stepFields,
    words: {
      id: "**Required.** The step's name, for `dependsOn`.",
      agent: "One of the file's agents; default is the run's agent.",
      instructions: "The prompt, at most 2000 characters; `@path` reads it from a file.",
      dependsOn: "Steps of the same list that must end first; their outputs are added to the prompt.",
      contextFiles: "Files for the agent to read first.",
      model: "The model; overrides the agent's.",
      timeout: "Time limit; of a loop, for all its iterations together.",
      retries: "How often a failed step is retried; a loop starts again from its first iteration.",
      maxRetries: "No effect: the agent's program decides that.",
      condition: "A CEL expression. If it is false, the step is skipped; steps that depend on it still run.",
      include: "Runs another workflow, by path or by its name under `includes`.",
      tool: "Call this tool instead of an agent: `bash`, `read` or `write`.",
      toolInput: 'The inputs of `tool`; `$steps["id"].content` is the output of a step.',
      loop: "Repeats the step, or steps of its own, until a condition holds or for each item of a list.",
    },
    inner: {
      id: { type: "string", pattern: where === "top" ? topId : innerId },
      instructions: { type: "string", maxLength: 2000 },
      condition: text,
      toolInput: { type: "object" },
      ...(where === "top"
        ? { loop: ref("loop") }
        : { loop: { not: {}, description: "A loop cannot contain a loop." } }),
    },
    required: ["id"],
    rules: {
      if: { required: ["include"] },
      // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
      then: {
        not: {
          anyOf: ["agent", "instructions", "loop", "condition", "contextFiles", "model"].map((key) => ({
            required: [key],
          })),
        },
      },
    },
  });

const loop = mapping({
  title: "A loop",
  fields: steps.loopFields,
  words: {
    forEach: "A list, or a CEL expression that returns one: the body runs once for each item, in parallel.",
    maxConcurrency: "Maximum items that run in parallel; default is all.",
    maxIterations: "**Required** without `forEach`. Maximum number of iterations.",
    until: "A CEL expression, evaluated after each iteration; `true` ends the loop.",
    untilAgent: "An agent that judges each iteration; its `done` ends the loop.",
    delay: "The delay between iterations, such as `30s`.",
    outputMode:
      "`last`: the output of the last iteration. `cumulative`: the outputs of all iterations and of the judge.",
    steps: "The steps of each iteration; default is the step itself.",
  },
  inner: {
    forEach: { anyOf: [{ type: "array", minItems: 1 }, text] },
    maxIterations: { type: "integer", minimum: 1 },
    until: text,
    untilAgent: text,
    steps: listOf(ref("innerStep")),
  },
  rules: {
    oneOf: [
      {
        required: ["forEach"],
        not: { anyOf: [...notWithForEach.map((key) => ({ required: [key] })), someDelay] },
      },
      { required: ["maxIterations"], not: { required: ["forEach"] } },
    ],
  },
});

/** zenflow's workflows. */
export const stepsSchema: Schema = {
  ...mapping({
    title: "A zenflow workflow",
    fields: steps.documentFields,
    words: {
      name: "**Required.** The workflow's name.",
      description: "The purpose of the workflow, at most 2000 characters.",
      version: "Must be 1.",
      agents: "The agents of the workflow, by name. One called `coordinator` receives the messages of steps.",
      includes: "Names of other workflows, for `include`.",
      steps: "**Required.** The steps, 1 to 100.",
      options: "Options of the whole run.",
    },
    inner: {
      name: text,
      description: { type: "string", maxLength: 2000 },
      agents: named(ref("agent"), topId),
      steps: { ...listOf(ref("step")), maxItems: 100 },
      options: { anyOf: [ref("options"), { type: "null" }] },
    },
    required: ["name", "steps"],
  }),
  definitions: {
    agent,
    step: step("top"),
    innerStep: step("body"),
    loop,
    options: mapping({
      title: "Options of the whole run",
      fields: steps.optionFields,
      words: {
        maxConcurrency: "Maximum steps that run in parallel (default 5); also limits the items of loops.",
        onStepFailure:
          "What happens if a step fails: `cascade` cancels the steps that depend on it, `skip-dependents` skips them, `abort` ends the run.",
        timeout: "Time limit for the whole run, such as `1h30m`.",
        stepTimeout: "Time limit for a step that has no `timeout`.",
        isolation: "No effect.",
        scheduler: "No effect.",
        maxRetries: "No effect: the agent's program decides that.",
      },
    }),
  },
};
