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
    description: "**Required.** What the agent is for; its instructions where it has no `prompt`.",
    prompt: "Its instructions; `@path` takes the text of a file.",
    model: "Its model.",
    tools: "The only tools it may use.",
    disallowedTools: "Tools it may not use.",
    maxTurns: "The most turns of one call.",
    temperature: "The model's temperature, where the agent takes one.",
    topP: "The model's `top_p`, where the agent takes one.",
    resultSchema: "A JSON schema its answers must keep; a judge's has a required boolean `done`.",
  },
  inner: { description: text, resultSchema: anySchema },
  required: ["description"],
});

const step = (where: "top" | "body"): Schema =>
  mapping({
    title: where === "top" ? "A step" : "A step of a loop's body",
    fields: steps.stepFields,
    words: {
      id: "**Required.** Its name, which others depend on.",
      agent: "One of the file's agents; the run's own where left out.",
      instructions: "What it is asked, in at most 2000 characters; `@path` takes the text of a file.",
      dependsOn: "Steps of the same list that come first; what they gave stands in the prompt.",
      contextFiles: "Files that the prompt asks the agent to read.",
      model: "The model; wins over the agent's.",
      timeout: "The longest it may take; of a loop, all its iterations together.",
      retries: "How often it is done again when it failed; a loop begins anew.",
      maxRetries: "No effect: the agent's program decides that.",
      condition: "CEL. Where it is false the step is skipped, and those after it run all the same.",
      include: "Another workflow that runs here, by path or by its name under `includes`.",
      tool: "Call this tool instead of an agent: `bash`, `read` or `write`.",
      toolInput: 'The inputs of `tool`; `$steps["id"].content` is what a step gave.',
      loop: "Do the step, or steps of its own, again and again or for each item of a list.",
    },
    inner: {
      id: { type: "string", pattern: where === "top" ? topId : innerId },
      instructions: { type: "string", maxLength: 2000 },
      condition: text,
      toolInput: { type: "object" },
      ...(where === "top"
        ? { loop: ref("loop") }
        : { loop: { not: {}, description: "Loops do not hold loops." } }),
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
    forEach: "A list, or CEL that gives one: the body is done once for each item, side by side.",
    maxConcurrency: "How many items run at a time; all of them if omitted.",
    maxIterations: "**Required** without `forEach`. The most iterations.",
    until: "CEL, tested after each iteration; true ends the loop.",
    untilAgent: "An agent that judges each iteration; its `done` ends the loop.",
    delay: "The pause between iterations, like `30s`.",
    outputMode: "`last`: what the last iteration gave. `cumulative`: every iteration, and the judge.",
    steps: "The steps of each iteration; the step itself where left out.",
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

/** Steps files, as zenflow has them. */
export const stepsSchema: Schema = {
  ...mapping({
    title: "A steps file, as zenflow has them",
    fields: steps.documentFields,
    words: {
      name: "**Required.** The workflow's name.",
      description: "What it is for, in at most 2000 characters.",
      version: "1 is all there is.",
      agents: "The agents of the workflow, by name. One called `coordinator` receives the messages of steps.",
      includes: "Names for other workflows that steps include.",
      steps: "**Required.** The steps, 1 to 100.",
      options: "What holds for the whole run.",
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
      title: "What holds for the whole run",
      fields: steps.optionFields,
      words: {
        maxConcurrency: "How many steps run at a time (default 5); also limits the items of loops.",
        onStepFailure:
          "What a failed step does: `cascade` cancels those that depend on it, `skip-dependents` skips them, `abort` ends the run.",
        timeout: "The longest the whole run may take, like `1h30m`.",
        stepTimeout: "The longest one step may take, where it says nothing else.",
        isolation: "No effect.",
        scheduler: "No effect.",
        maxRetries: "No effect: the agent's program decides that.",
      },
    }),
  },
};
