import { expect, test } from "vitest";
import { AgentError } from "../../../src/ports/agent.ts";
import { stage } from "../../parts/stage.ts";
import { child, diagnosticsOf, file, loop, play, seed } from "./files.ts";

const prompts = (it: ReturnType<typeof play>, node: string) =>
  it.prompts.filter((asked) => asked.node === node && asked.role === "worker").map(({ prompt }) => prompt);
const notices = (it: ReturnType<typeof play>) => it.of("notice").map(({ code }) => code);
const refusal = new AgentError("auth", "no key");

test("the parameters of each iteration read the current state of the loop", async () => {
  const workflows = { dev_cycle: child("{{iteration_num}}|{{last_attempt}}|{{full_context}}") };
  const it = play(seed("usage"), workflows, { metAt: 4 });
  await it.begin();
  expect(prompts(it, "work")).toEqual([
    "1||",
    "2|work 1|work 1",
    "3|work 2|work 1---work 2",
    "4|work 3|work 1---work 2---work 3",
  ]);
});

test("steps after a loop read its output, its count and its history", async () => {
  const it = play(seed("use-loop-result"), { task_workflow: child("{{input}}") }, { metAt: 2 });
  await it.begin();
  expect(prompts(it, "use_loop_result")).toEqual([
    "Loop finished in 2 iterations\nFinal result: work 2\nAccumulated history: work 1\n---\nwork 2\n",
  ]);
});

test("lists that occur several times are one, in the order of the file", async () => {
  const it = play(seed("multi-stage"), { dev_cycle: child("a"), test_cycle: child("b") }, { metAt: 2 });
  await it.begin();
  const nodes = it.of("node.started").flatMap(({ path, node }) => (path === `/${node}` ? [node] : []));
  expect(nodes).toEqual(["stage1", "develop", "test", "deploy"]);
  expect(prompts(it, "deploy")).toEqual(["Deploy: work 2"]);
});

test("a loop inside a called workflow has variables of its own", async () => {
  const inner = file("loops:", "  - {name: inner, workflow: leaf, max_iterations: 2, until: done}");
  const outer = file("loops:", "  - {name: outer, workflow: mid, max_iterations: 2, until: done}");
  const it = play(
    outer,
    { mid: inner, leaf: child("{{loop.iteration}} of {{loop.last.output}}") },
    { metAt: 9 },
  );
  await it.begin();
  expect(prompts(it, "work")).toEqual(["1 of ", "2 of work 1", "1 of ", "2 of work 1"]);
  expect(it.of("iteration.started").map(({ path }) => path)).toEqual([
    "/outer#1",
    "/outer#1/inner#1",
    "/outer#1/inner#2",
    "/outer#2",
    "/outer#2/inner#1",
    "/outer#2/inner#2",
  ]);
});

test("the message of a called workflow: `input`, else its parameters, else the previous output or the caller's message", async () => {
  const ask = child("{{input}}");
  const explicit = play(loop("max_iterations: 1", "until: x", "with: {a: 1, input: 'for {{input}}'}"), {
    child: ask,
  });
  await explicit.begin();
  expect(prompts(explicit, "work")).toEqual(["for the message"]);
  const lines = play(loop("max_iterations: 1", "until: x", "with: {b: 1, a: [true]}"), { child: ask });
  await lines.begin();
  expect(prompts(lines, "work")).toEqual(["b: 1\na: [true]"]);
  const none = play(loop("max_iterations: 2", "until: x"), { child: ask }, { metAt: 2 });
  await none.begin();
  expect(prompts(none, "work")).toEqual(["the message", "work 1"]);
});

test("reaching the maximum is a success, and values are never read again for names", async () => {
  const end = 'steps:\n  - {name: end, run: "{{go}} {{nobody}}"}\n';
  const source = `${loop("max_iterations: 2", "until: x")}${end}`;
  const work = (node: string) => (node === "work" ? "{{input}}" : "");
  const it = play(source, { child: child("x") }, { metAt: 3, work });
  await it.begin();
  expect(it.of("loop.ended")).toMatchObject([{ status: "completed", stop_reason: "iterations-done" }]);
  expect(prompts(it, "end")).toEqual(["{{input}} {{nobody}}"]);
  expect(diagnosticsOf(source, { child: child("x") })).toEqual(["~UNKNOWN_REFERENCE 8:30"]);
});

const answers: readonly (readonly [answer: string, met: boolean, noticed: boolean])[] = [
  ["YES", true, false],
  ["**Yes**, it is.", true, false],
  ["_yes_", true, false],
  ["NO, not YES yet", false, false],
  ["YESTERDAY it was", false, true],
  ["It is hard to say.", false, true],
];

test.each(answers)("the answer %j", async (answer, met, noticed) => {
  const it = stage(loop("max_iterations: 1", "until: Is it?"), {
    workflows: { child: child("x") },
    agent: ({ role }) => (role === "evaluator" ? answer : "out"),
  });
  await it.begin();
  expect(it.end()).toMatchObject({ conclusion: "success", stop_reason: met ? "answer" : "iterations-done" });
  expect(notices(it)).toEqual(noticed ? ["UNCLEAR_ANSWER"] : []);
});

test("an unanswered question counts as no, with a notice", async () => {
  const it = stage(loop("max_iterations: 2", "until: Is it?"), {
    workflows: { child: child("x") },
    agent: ({ role }) => (role === "evaluator" ? refusal : "out"),
  });
  await it.begin();
  expect(it.end()).toMatchObject({ conclusion: "success", iterations: 2 });
  expect(notices(it)).toEqual(["UNCLEAR_ANSWER", "UNCLEAR_ANSWER"]);
});

test("the condition is put with the output of its own iteration", async () => {
  const it = play(loop("max_iterations: 1", "until: 'Is {{loop.output}} right?'"), { child: child("x") });
  await it.begin();
  const [asked] = it.prompts.filter(({ role }) => role === "evaluator");
  expect(asked?.prompt).toContain("Is work 1 right?");
});

test("halt, which is the default, fails the workflow at once", async () => {
  const source = `${loop("max_iterations: 3", "until: x")}steps:\n  - {name: other, run: x}\n`;
  const it = play(source, { child: child("x") }, { work: () => refusal });
  await it.begin();
  expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "agent-error", iterations: 1 });
  expect(it.of("node.ended").find(({ node }) => node === "other")).toMatchObject({ status: "skipped" });
});

test("continue leaves out the iteration that failed", async () => {
  const source = `${loop("max_iterations: 3", "until: x", "on_failure: continue")}steps:
  - {name: end, run: "{{loop.iteration}} {{loop.history}} {{go}}"}
`;
  const it = play(
    source,
    { child: child("{{loop.last.output}}") },
    {
      metAt: 4,
      work: (node, iteration) => (node === "work" && iteration > 1 ? refusal : `${node} ${iteration}`),
    },
  );
  await it.begin();
  expect(prompts(it, "work")).toEqual(["", "work 1", "work 1"]);
  expect(prompts(it, "end")).toEqual(["1 work 1 work 1"]);
  expect(it.prompts.filter(({ role }) => role === "evaluator")).toHaveLength(1);
});

test("continue with nothing but failures ends well, empty, and says so", async () => {
  const source = loop("max_iterations: 2", "until: x", "on_failure: continue");
  const it = play(source, { child: child("x") }, { work: () => refusal });
  await it.begin();
  expect(it.end()).toMatchObject({ conclusion: "success", stop_reason: "iterations-done", output: "" });
  expect(notices(it)).toEqual(["NO_ITERATION"]);
});

test("retry repeats the same iteration, three times by default, then halts", async () => {
  const source = loop("max_iterations: 5", "until: x", "on_failure: retry", "retry_delay: 2s");
  let calls = 0;
  const flaky = play(source, { child: child("x") }, { work: () => (++calls < 4 ? refusal : "at last") });
  await flaky.begin();
  expect(flaky.end()).toMatchObject({ conclusion: "success", iterations: 1, output: "at last" });
  expect(flaky.waits).toEqual([2000, 2000, 2000]);
  const broken = play(source, { child: child("x") }, { work: () => refusal });
  await broken.begin();
  expect(broken.end()).toMatchObject({ conclusion: "failure", iterations: 1 });
  expect(broken.prompts).toHaveLength(4);
});
