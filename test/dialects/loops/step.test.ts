import { expect, test } from "vitest";
import { AgentError } from "../../../src/ports/agent.ts";
import { planOf } from "../../parts/stage.ts";
import { child, file, play, seed } from "./files.ts";

const refusal = new AgentError("auth", "no key");
const steps = (...steps: readonly string[]) =>
  file("execution: {}", "steps:", ...steps.map((it) => `  - ${it}`));
const order = (it: ReturnType<typeof play>) => it.of("node.started").map(({ node }) => node);

test("a name in a text is a need, and of what could run the first in the file does", async () => {
  const it = play(
    steps(
      "{name: a, run: '{{z}}'}",
      "{name: b, run: x, needs: [a]}",
      "{name: c, run: x}",
      "{name: z, run: x}",
    ),
    {},
  );
  await it.begin();
  expect(order(it)).toEqual(["c", "z", "a", "b"]);
});

test("one step runs at a time, or as many as execution allows", () => {
  expect(planOf(steps("{name: a, run: x}")).body.atMost).toBe(1);
  const parallel = (more: string) => file(`execution: {parallel: true${more}}`, "steps: [{name: a, run: x}]");
  expect(planOf(parallel("")).body.atMost).toBe(3);
  expect(planOf(parallel(", max_workers: 7")).body.atMost).toBe(7);
});

const conditions: readonly (readonly [condition: string, runs: boolean])[] = [
  ['${{ first == "yes" }}', true],
  ["${{ first == 'no' }}", false],
  ['${{ first != "no" }}', true],
  ["${{ first }}", true],
  ["{{first}}", true],
  ["{{first}} == yes", true],
  ["{{nobody}}", false],
  ['${{ nobody == "" }}', true],
  ["false", false],
  ["0", false],
];

test.each(conditions)("a step with if: %s", async (condition, runs) => {
  const it = play(
    steps(
      "{name: first, run: x}",
      `{name: then, run: y, if: ${JSON.stringify(condition)}}`,
      "{name: last, run: 'z {{then}}'}",
    ),
    {},
    { work: (node) => (node === "first" ? " YES " : node) },
  );
  await it.begin();
  expect(order(it).includes("then")).toBe(runs);
  expect(it.prompts.at(-1)?.prompt).toBe(runs ? "z then" : "z {{then}}");
  expect(it.end()).toMatchObject({ conclusion: "success" });
});

test("a step that fails halts everything, or is passed over, or is tried again", async () => {
  const after = "{name: other, run: x}";
  const work = (node: string) => (node === "a" ? refusal : node);
  const halt = play(steps("{name: a, run: x}", after), {}, { work });
  await halt.begin();
  expect(halt.end()).toMatchObject({ conclusion: "failure", stop_reason: "agent-error" });
  expect(order(halt)).toEqual(["a"]);
  const on = play(
    steps("{name: a, run: x, on_failure: continue}", "{name: b, run: 'got [{{a}}]'}"),
    {},
    { work },
  );
  await on.begin();
  expect(on.end()).toMatchObject({ conclusion: "success", results: { b: "b" } });
  expect(on.prompts.at(-1)?.prompt).toBe("got []");
  const retry = play(steps("{name: a, run: x, on_failure: retry, max_retries: 2}"), {}, { work });
  await retry.begin();
  expect(retry.prompts).toHaveLength(3);
  expect(retry.end()).toMatchObject({ conclusion: "failure" });
});

test("a template is called once with its parameters", async () => {
  const source = file(
    "execution: {}",
    "env: {LANG: de}",
    "steps:",
    "  - {name: a, template: {name: t, with: {topic: '{{input}}'}}}",
  );
  const it = play(source, { t: child("{{topic}} in {{env.LANG}}, told {{input}}") });
  await it.begin();
  expect(it.prompts[0]?.prompt).toBe("the message in de, told topic: the message");
});

test("a loop may be what a step does", async () => {
  const source = steps(
    "name: a\n    loop: {workflow: t, max_iterations: 3, until: x}",
    "{name: b, run: '{{a}} after {{loop.iteration}}'}",
  );
  const it = play(source, { t: child("x") }, { metAt: 2 });
  await it.begin();
  expect(it.prompts.at(-1)?.prompt).toBe("work 2 after 2");
});

test("a called workflow hands on what its last element gave, and nothing is a failure", async () => {
  const called = steps("{name: a, run: x}", "{name: b, run: x, if: '{{input}}'}");
  const source = steps("{name: main, template: {name: t, with: {input: '{{flag}}'}}}");
  const run = async (flag: string) => {
    const it = play(source.replace("{{flag}}", flag), { t: called });
    await it.begin();
    return it.end();
  };
  expect(await run("1")).toMatchObject({ conclusion: "success" });
  expect(await run("0")).toMatchObject({ conclusion: "failure" });
});

test("a provider that is an agent answers, with its model, where the run names none", () => {
  const source = (provider: string) =>
    file(`execution: {provider: ${provider}, model: m}`, "steps: [{name: a, run: x}]");
  expect(planOf(source("anthropic"))).toMatchObject({ agent: "claude", model: "m" });
  expect(planOf(source("deepseek"))).not.toHaveProperty("agent");
  expect(planOf(source("deepseek"))).not.toHaveProperty("model");
  const several = file(
    "execution: {providers: [{provider: x, model: y}, {provider: openai, model: z}]}",
    "steps: [{name: a, run: x}]",
  );
  expect(planOf(several)).toMatchObject({ agent: "codex", model: "z" });
});

test("a step may have several providers too: the first one that is an agent answers", () => {
  const plan = planOf(
    file(
      "execution: {provider: anthropic, model: m}",
      "steps: [{name: a, run: x, providers: [{provider: x, model: y}, {provider: openai, model: z}]}]",
    ),
  );
  expect(plan.body.nodes[0]).toMatchObject({ call: { agent: "codex", model: "z" } });
});

test("yes and off are true and false, as in YAML 1.1", () => {
  const parallel = (word: string) =>
    planOf(file(`execution: {parallel: ${word}, max_workers: 2}`, "steps: [{name: a, run: x}]"));
  expect(parallel("yes")).toEqual(parallel("true"));
  expect(parallel("off")).toEqual(parallel("false"));
});

test("what a loop gathers can be read by its name, its own or one made of the loop's", async () => {
  const it = play(seed("accumulate"), { task_workflow: child("x") }, { metAt: 2 });
  await it.begin();
  expect(it.prompts.at(-1)?.prompt).toBe("Analyze evolution: work 1\n---\nwork 2");
});
