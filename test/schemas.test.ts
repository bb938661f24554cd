import { globSync, readdirSync, readFileSync } from "node:fs";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import { describe, expect, test } from "vitest";
import { schemas, schemaText } from "../scripts/schemas.ts";
import { agentNames } from "../src/agents/index.ts";
import { compile } from "../src/compile/compile.ts";
import { readSource } from "../src/compile/parse-yaml.ts";
import { dialects } from "../src/dialects/index.ts";
import { casesIn } from "./dialects/case-files.ts";
import { fc } from "./parts/random.ts";
import { randomBlocks } from "./parts/random-blocks.ts";
import { randomWorkflow } from "./parts/random-workflow.ts";

const validators = Object.fromEntries(
  Object.keys(schemas).map((name) => {
    const schema = JSON.parse(schemaText(name));
    return [name, new AjvJsonSchemaValidator().getValidator(schema)];
  }),
);

/** What the schema of a file's own dialect says against it; nothing where it is right. */
function complaintOf(text: string): string | undefined {
  const value = documentIn(text);
  const { name = "" } = dialects.find((it) => it.claims(value)) ?? {};
  const verdict = validators[name]?.(value) ?? { valid: false, errorMessage: `no schema for ${name}` };
  return verdict.valid ? undefined : verdict.errorMessage;
}

/** A file's value; lists that stand several times as the one list they are. */
function documentIn(text: string): Readonly<Record<string, unknown>> {
  const whole = readSource(text, new Set(["steps", "loops"])).value as Readonly<Record<string, unknown>>;
  const merged: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(whole)) {
    const name = key.replace(/ \(\d+\)$/, "");
    const before = merged[name];
    merged[name] = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value;
  }
  return merged;
}

const isWorkflow = (file: string) => !file.includes("session") && !file.includes("scenarios");
const sound = [
  ...globSync("test/dialects/*/seeds/*.{yml,yaml}"),
  ...globSync("examples/{demo,loops,pytest,go,cargo,maven}/**/*.yml").filter(isWorkflow),
].toSorted();

describe("the schemas for editors", () => {
  test("there is one for every dialect, and a file of each, as `npm run schemas` writes it", () => {
    expect(Object.keys(schemas).sort()).toEqual(dialects.map(({ name }) => name).sort());
    expect(readdirSync("schemas").sort()).toEqual(
      Object.keys(schemas)
        .map((name) => `${name}.json`)
        .sort(),
    );
    for (const name of Object.keys(schemas))
      expect(readFileSync(`schemas/${name}.json`, "utf8"), `run npm run schemas for ${name}`).toBe(
        schemaText(name),
      );
  });

  test.each(sound)("%s is right", (file) => {
    expect(complaintOf(readFileSync(file, "utf8"))).toBeUndefined();
  });

  test.each(["native", "steps", "loops"])("every case of %s files is right", (dialect) => {
    for (const { rule, source } of casesIn(new URL(`./dialects/${dialect}/cases/`, import.meta.url)))
      expect(complaintOf(source), rule).toBeUndefined();
  });

  test("what the compiler takes, they take", () => {
    fc.assert(
      fc.property(fc.oneof(randomWorkflow, randomBlocks), (text) => {
        const compiled = compile(
          { text, file: "w.yml" },
          { agents: agentNames, command: () => "x", workflow: () => undefined },
        );
        if (compiled.ok) expect(complaintOf(text)).toBeUndefined();
      }),
      { numRuns: 100 },
    );
  });
});

const native = (node: string) => `name: w\nnodes:\n  - {id: a, ${node}}\n`;
const nativeLoop = (more: string) => native(`loop: {prompt: p, until: X, max_iterations: 3, ${more}}`);
const steps = (step: string) => `name: w\nsteps:\n  - {id: a, ${step}}\n`;
const loops = (more: string) => `name: w\nloops:\n  - {name: a, workflow: c, max_iterations: 3, ${more}}\n`;

const blocks = (block: string) => `workflow: {name: w, entry: a}\nblocks:\n  a: {${block}}\n`;

const broken: readonly (readonly [title: string, text: string])[] = [
  ["native: no name", "nodes: [{id: a, prompt: p}]"],
  ["native: no nodes", "name: w\nnodes: []"],
  ["native: a key nobody knows", native("prompt: p, depend_on: [b]")],
  ["native: no kind", native("timeout: 1m")],
  ["native: two kinds", native("prompt: p, bash: b")],
  ["native: an id that is a number", "name: w\nnodes: [{id: 7, prompt: p}]"],
  ["native: a number where text belongs", native("prompt: 3")],
  ["native: a duration that is none", native("prompt: p, timeout: soon")],
  ["native: a duration of zero", native("prompt: p, timeout: 0")],
  ["native: a rule nobody knows", native("prompt: p, trigger_rule: any")],
  ["native: a loop without a limit", native("loop: {prompt: p, until: X}")],
  ["native: a limit out of range", native("loop: {prompt: p, until: X, max_iterations: 0}")],
  ["native: a loop with two bodies", nativeLoop("command: c")],
  ["native: a blank stop", native("loop: {prompt: p, until: ' ', max_iterations: 3}")],
  ["native: a list with a limit", nativeLoop("for_each: [1]")],
  ["native: a body's node that is none", native("loop: {nodes: [{id: b}], until: X, max_iterations: 3}")],
  ["native: a check's key nobody knows", nativeLoop("until_bash: b, check: {retry: 1}")],
  ["native: an approval without a message", native("approval: {}")],
  ["native: a budget of nothing", "name: w\nbudget: {usd: 0}\nnodes: [{id: a, prompt: p}]"],
  ["steps: no steps", "name: w\nsteps: []"],
  ["steps: a version nobody knows", "name: w\nversion: 2\nsteps: [{id: a}]"],
  ["steps: a capital in an id at the top", "name: w\nsteps: [{id: A}]"],
  ["steps: an agent without a description", "name: w\nagents: {x: {prompt: p}}\nsteps: [{id: a}]"],
  ["steps: a duration in milliseconds", steps("timeout: 500ms")],
  ["steps: an empty loop", steps("loop: {}")],
  ["steps: maxIterations of zero", steps("loop: {maxIterations: 0}")],
  ["steps: forEach with until", steps("loop: {forEach: [1], until: 'true'}")],
  ["steps: forEach with a pause", steps("loop: {forEach: [1], delay: 10s}")],
  ["steps: an empty list", steps("loop: {forEach: []}")],
  ["steps: a loop in a loop", steps("loop: {maxIterations: 1, steps: [{id: b, loop: {maxIterations: 1}}]}")],
  ["steps: an outputMode nobody knows", steps("loop: {maxIterations: 1, outputMode: all}")],
  ["steps: an include with an agent", steps("include: x, agent: y")],
  ["steps: an option nobody knows", "name: w\noptions: {onStepFail: abort}\nsteps: [{id: a}]"],
  ["loops: another version", "$schema: workflow/v1.0\nname: w\nloops: []"],
  ["loops: nothing to do", "$schema: workflow/v2.0\nname: w"],
  ["loops: no condition", loops("on_failure: halt")],
  ["loops: a blank condition", loops("until: ''")],
  ["loops: a strange on_failure", loops("until: x, on_failure: stop")],
  ["loops: items in a loop that refines", loops("until: x, items: [1]")],
  ["loops: no items", loops("mode: iterate")],
  ["loops: a rate over one", loops("mode: iterate, items: [1], min_success_rate: 2")],
  [
    "loops: a step that does two things",
    "name: w\nloops: []\nsteps: [{name: a, run: r, template: {name: t}}]",
  ],
  ["loops: a step of a kind nobody knows", "name: w\nloops: []\nsteps: [{name: a, consensus: {}}]"],
  ["blocks: no name", "workflow: {entry: a}\nblocks:\n  a: {type: linear, soul_ref: s}"],
  ["blocks: no blocks", "workflow: {name: w, entry: a}\nblocks: {}"],
  [
    "blocks: a reserved id",
    "workflow: {name: w, entry: results}\nblocks: {results: {type: linear, soul_ref: s}}",
  ],
  ["blocks: a type nobody knows", blocks("type: retry")],
  ["blocks: a key of another type", blocks("type: linear, soul_ref: s, code: x")],
  ["blocks: a loop over nothing", blocks("type: loop, inner_block_refs: []")],
  ["blocks: too many rounds", blocks("type: loop, inner_block_refs: [b], max_rounds: 51")],
  ["blocks: half of a gate's ways", blocks("type: gate, soul_ref: s, eval_key: a, pass: a")],
  [
    "blocks: an operator nobody knows",
    blocks("type: loop, inner_block_refs: [b], break_condition: {eval_key: x, operator: like}"),
  ],
  [
    "blocks: a key of carry_context nobody knows",
    blocks("type: loop, inner_block_refs: [b], carry_context: {as: x}"),
  ],
  ["loops: a name that means something else", "name: w\nloops: []\nsteps: [{name: input, run: r}]"],
];

test.each(broken)("%s is wrong to its schema and to the compiler", (_, text) => {
  const compiled = compile(
    { text, file: "w.yml" },
    { agents: agentNames, command: () => "x", workflow: () => undefined },
  );
  expect(compiled.ok).toBe(false);
  expect(complaintOf(text)).toBeDefined();
});
