import { describe, expect, test } from "vitest";
import { compile } from "../../../src/compile/compile.ts";
import type { Files } from "../../../src/dialects/dialect.ts";
import { AgentError } from "../../../src/ports/agent.ts";
import { promptVariable } from "../../../src/processes/environment.ts";
import { type Props, type Stage, stage } from "../../parts/stage.ts";

async function run(source: string, agent: NonNullable<Props["agent"]>, props: Props = {}): Promise<Stage> {
  const it = stage(`name: w\n${source}`, { agent, facts: { message: "" }, ...props });
  await it.begin();
  return it;
}

const ended = (it: Stage) =>
  Object.fromEntries(it.of("node.ended").map(({ label, status }) => [label, status]));
const promptOf = (it: Stage, node: string) =>
  it.prompts.findLast((request) => request.node === node)?.prompt ?? "";
const crash = (message: string) => new AgentError("crash", message);

const chain = (options: string) => `${options}
steps:
  - { id: a }
  - { id: b, dependsOn: [a] }
  - { id: c, dependsOn: [b] }
  - { id: free }
  - { id: last, dependsOn: [free] }
`;

test.each([
  ["cascade", { a: "failed", b: "cancelled", c: "cancelled", free: "completed", last: "completed" }],
  ["skip-dependents", { a: "failed", b: "skipped", c: "skipped", free: "completed", last: "completed" }],
])("a failed step: %s", async (strategy, ends) => {
  const it = await run(chain(`options: { onStepFailure: ${strategy} }`), ({ node }) =>
    node === "a" ? crash("no") : "ok",
  );
  expect(ended(it)).toEqual(ends);
  expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "agent-error", because: "no" });
});

test("a failed step: abort stops all, and each step is reported as cancelled once", async () => {
  const it = await run(chain("options: { onStepFailure: abort }"), ({ node }) =>
    node === "a" ? crash("no") : new Promise<string>(() => undefined),
  );
  const ends = { a: "failed", b: "cancelled", c: "cancelled", free: "cancelled", last: "cancelled" };
  expect(ended(it)).toEqual(ends);
  expect(it.of("node.ended")).toHaveLength(5);
  expect(it.end()).toMatchObject({ conclusion: "failure", because: "no" });
});

test.each([
  ["true of a result", "steps.a-b.result.n > 1", "completed"],
  ["false of a result", "steps.a-b.result.n > 2", "skipped"],
  ["of a field that is missing", "steps.a-b.result.gone == 1", "skipped"],
  ["of a step that has not ended", "steps.after.result.n == 1", "skipped"],
  ["of an item outside any list", "item == 1", "skipped"],
  ["neither true nor false", "steps.a-b.result.n", "failed"],
  ["of types that do not go together", "steps.a-b.content > 1", "failed"],
  ["of the last dependency's content", "content == 'hello'", "completed"],
])("a condition %s", async (_, condition, status) => {
  const steps = `steps:
  - { id: a-b }
  - { id: maybe, dependsOn: [a-b], condition: "${condition}" }
  - { id: after, dependsOn: [maybe] }
`;
  const it = await run(steps, ({ node }) => ({ text: node === "a-b" ? "hello" : "ok", result: { n: 2 } }));
  const after = status === "failed" ? "cancelled" : "completed";
  expect(ended(it)).toEqual({ "a-b": "completed", maybe: status, after });
});

test("conditions inside see the item and the iteration, and what their siblings and the outside gave", async () => {
  const each = await run(
    `steps:
  - id: each
    loop: { forEach: [1, 2], steps: [{ id: odd, condition: "item == 1 && index == 0" }] }
`,
    () => "ok",
  );
  expect(ended(each)).toMatchObject({
    "each[0].odd": "completed",
    "each[1].odd": "skipped",
    each: "completed",
  });
  const loop = await run(
    `steps:
  - id: out
  - id: rounds
    dependsOn: [out]
    loop:
      maxIterations: 2
      steps:
        - { id: one, condition: "iteration == 0 && steps.out.content == 'ok'" }
        - { id: two, dependsOn: [one], condition: "steps.one.status == 'completed'" }
`,
    () => "ok",
  );
  expect(ended(loop)).toMatchObject({
    "rounds.0.two": "completed",
    "rounds.1.one": "skipped",
    "rounds.1.two": "skipped",
  });
});

test("until that cannot be evaluated fails the loop, and its judge is not asked", async () => {
  const it = await run(
    "steps:\n  - { id: a, loop: { maxIterations: 3, until: 'result.gone == 1' } }\n",
    () => "ok",
  );
  expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "check-unevaluable", iterations: 1 });
});

test("until reads the iteration's number from 0", async () => {
  const it = await run(
    "steps:\n  - { id: a, loop: { maxIterations: 9, until: 'iteration == 2' } }\n",
    () => "ok",
  );
  expect(it.end()).toMatchObject({ conclusion: "success", stop_reason: "expression", iterations: 3 });
});

test("a loop that was never done fails, and says what never came true", async () => {
  const it = await run(
    `agents: { j: { description: d, resultSchema: { properties: { done: { type: boolean } }, required: [done] } } }
steps:
  - { id: a, loop: { maxIterations: 2, until: "content == 'x'", untilAgent: j } }
`,
    ({ role }) => (role === "judge" ? { result: { done: false } } : "y"),
  );
  const because = expect.stringMatching(
    /^a was not done after 2 iterations: the expression is false; the judge says/,
  );
  expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "max-iterations", because });
});

test("an inner step that fails ends the loop, which keeps the other steps' outputs", async () => {
  const it = await run(
    "steps:\n  - { id: a, loop: { maxIterations: 3, steps: [{ id: x }, { id: y, dependsOn: [x] }] } }\n",
    ({ node }) => (node === "y" ? crash("no") : "half of it"),
  );
  expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "agent-error", iterations: 1 });
  expect(it.of("node.ended").at(-1)).toMatchObject({ node: "a", status: "failed", output: "half of it" });
});

test("a loop's retries restart it, under the same labels", async () => {
  const it = await run(
    "steps:\n  - { id: a, retries: 1, loop: { maxIterations: 2, steps: [{ id: x }] } }\n",
    (_, call) => (call === 2 ? crash("once") : "ok"),
  );
  expect(it.end()).toMatchObject({ conclusion: "success", iterations: 4 });
  expect(it.of("node.retried")).toMatchObject([{ path: "/a", attempt: 2, reason: "once" }]);
  const labels = it.of("node.started").map(({ label }) => label);
  expect(labels).toEqual(["a", "a.0.x", "a.1.x", "a.0.x", "a.1.x"]);
});

test.each([
  ["a loop's timeout", "steps:\n  - { id: a, timeout: 5s, loop: { maxIterations: 100, delay: 3s } }\n"],
  [
    "the run's timeout",
    "options: { timeout: 5s }\nsteps:\n  - { id: a, timeout: 0s, loop: { maxIterations: 9, delay: 3s } }\n",
  ],
])("%s is for all iterations, delays included", async (_, source) => {
  const it = stage(`name: w\n${source}`);
  let now = Date.UTC(2026, 0, 1);
  Object.assign(it.world.clock, {
    now: () => new Date(now).toISOString(),
    async sleep(ms: number) {
      now += ms;
    },
  });
  await it.begin();
  expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "timeout" });
  expect(it.prompts.map(({ timeoutMs }) => timeoutMs)).toEqual([5000, 2000]);
  expect(it.of("loop.ended")).toMatchObject([{ status: "failed", stop_reason: "timeout" }]);
});

test("options limit the whole run and each step", async () => {
  const it = await run(
    `options: { stepTimeout: 1m, timeout: 2m }
steps: [{ id: a, timeout: 30s }, { id: b }, { id: c, loop: { maxIterations: 1, steps: [{ id: x }] } }]
`,
    () => "ok",
  );
  const limits = Object.fromEntries(it.prompts.map(({ node, timeoutMs }) => [node, timeoutMs]));
  expect(limits).toEqual({ a: 30_000, b: 60_000, x: 60_000 });
});

test.each([
  ["all at once", "", "", 7],
  ["as many as the loop says", "", ", maxConcurrency: 3", 3],
  ["as many as the run says", "options: { maxConcurrency: 2 }", "", 2],
  ["the smaller of both", "options: { maxConcurrency: 4 }", ", maxConcurrency: 3", 3],
])("items are done %s", async (...[, options, more, most]) => {
  let atWork = 0;
  let seen = 0;
  await run(`${options}\nsteps: [{ id: a, loop: { forEach: [1, 2, 3, 4, 5, 6, 7]${more} } }]\n`, async () => {
    seen = Math.max(seen, ++atWork);
    await new Promise((resolve) => setImmediate(resolve));
    atWork -= 1;
    return "ok";
  });
  expect(seen).toBe(most);
});

test("at most a hundred items run in parallel, with a notice", async () => {
  const list = JSON.stringify(Array.from({ length: 101 }, (_, index) => index));
  const it = await run(
    `steps: [{ id: a, loop: { forEach: ${list}, outputMode: cumulative } }]\n`,
    () => "ok",
  );
  expect(it.of("notice")).toMatchObject([{ code: "LIMIT", message: expect.stringContaining("at most 100") }]);
  expect(it.end()?.output.match(/ok/g)).toHaveLength(101);
});

test("what one step gave is cut to 16 KiB in a prompt, and a prompt to 120 KiB, at whole characters", async () => {
  const wide = Array.from({ length: 10 }, (_, index) => `s${index}`);
  const steps = [
    ...wide.map((id) => `{ id: ${id} }`),
    `{ id: all, dependsOn: [${wide}], instructions: Sum up }`,
  ];
  const it = await run(`steps: [${steps.join(", ")}]\n`, () => "é".repeat(10_000));
  const prompt = promptOf(it, "all");
  const bytes = Buffer.byteLength(prompt);
  expect(bytes).toBeGreaterThan(110 * 1024);
  expect(bytes).toBeLessThanOrEqual(120 * 1024);
  expect(prompt).not.toContain("\uFFFD");
  expect(prompt).toMatch(/bytes left out …\]\n\nSum up$/);
  const two = await run("steps: [{ id: a }, { id: b, dependsOn: [a] }]\n", () => "x".repeat(20_000));
  expect(promptOf(two, "b").length).toBeGreaterThan(16_000);
  expect(promptOf(two, "b").length).toBeLessThan(16_700);
});

test("the whole history of a loop passes the one cap and not the other", async () => {
  const it = await run(
    `steps:
  - { id: a, loop: { maxIterations: 10, outputMode: cumulative } }
  - { id: b, dependsOn: [a] }
`,
    ({ iteration }) => `${iteration} ${"x".repeat(20_000)}`,
  );
  const bytes = Buffer.byteLength(promptOf(it, "b"));
  expect(bytes).toBeGreaterThan(119 * 1024);
  expect(bytes).toBeLessThanOrEqual(120 * 1024);
});

const typed = `agents: { x: { description: d, model: m, prompt: be brief, resultSchema: { type: object, required: [n], properties: { n: { type: integer } } } } }
steps: [{ id: a, agent: x, instructions: count }, { id: b, dependsOn: [a] }]
`;

test("an agent has instructions, a model and a schema its result must keep", async () => {
  const it = await run(typed, ({ node }) => (node === "a" ? '{"n": 3}' : "ok"));
  expect(it.prompts[0]).toMatchObject({ instructions: "be brief", model: "m", prompt: "count" });
  expect(it.prompts[0]?.schema).toMatchObject({ required: ["n"] });
  expect(it.of("node.ended")[0]).toMatchObject({ status: "completed", result: { n: 3 } });
  expect(promptOf(it, "b")).toContain('"n": 3');
});

test.each([
  ["no result", "three"],
  ["a field missing", "{}"],
  ["a field of another type", '{"n": "3"}'],
])("a step whose agent gives %s fails", async (_, text) => {
  const it = await run(typed, () => text);
  expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "node-failed" });
});

test("the run's message is in every prompt", async () => {
  const props = { facts: { message: "build the shop" } };
  const it = await run("steps: [{ id: a, instructions: go, contextFiles: [x.md] }]\n", () => "ok", props);
  expect(promptOf(it, "a")).toBe("## Request\nbuild the shop\n\ngo\n\n## Files to read first\n- x.md");
});

test("an included workflow runs as one step, and reads what that step depends on", async () => {
  const child = "name: child\nsteps: [{ id: x }, { id: y, dependsOn: [x] }]\n";
  const it = await run(
    `includes: { part: child }
steps: [{ id: a }, { id: inc, include: part, dependsOn: [a] }, { id: b, dependsOn: [inc] }]
`,
    ({ node }) => `said ${node}`,
    { workflows: { child } },
  );
  expect(it.end()).toMatchObject({ conclusion: "success" });
  expect(ended(it)).toMatchObject({ "inc.x": "completed", "inc.y": "completed", inc: "completed" });
  expect(promptOf(it, "x")).toContain("## Context of this workflow\n### Output of a\nsaid a");
  expect(promptOf(it, "y")).not.toContain("said a");
  expect(promptOf(it, "b")).toContain("## Output of inc\nsaid y");
});

test("a run that failed after some of its steps were done says so", async () => {
  const half = await run("steps: [{ id: a }, { id: b, dependsOn: [a] }]\n", ({ node }) =>
    node === "b" ? crash("no") : "ok",
  );
  expect(half.end()).toMatchObject({ conclusion: "failure", partial: true, results: { a: "ok" } });
  const none = await run("steps: [{ id: a }]\n", () => crash("no"));
  expect(none.end()).not.toHaveProperty("partial");
});

describe("variables of the environment", () => {
  const text = `name: w
description: "Reads \${FEED}."
agents: { s: { description: d, prompt: "From \${FEED} for $$5." } }
steps: [{ id: a, agent: s, instructions: "Fetch $FEED/1 or \${FEED} with \${API_TOKEN}$NOT_SET for $5 or $ {A}." }]
`;
  const given: Readonly<Record<string, string>> = { FEED: "https://example.com/feed", API_TOKEN: "s3cret" };
  const files = { command: () => undefined, workflow: () => undefined };
  const read = (environment: Pick<Files, "environment">) =>
    compile({ text, file: "w.yml" }, { ...files, ...environment });

  test("are put into texts when the file is read, but keys and tokens are not", () => {
    const it = read({ environment: (name) => promptVariable(given, name) });
    expect(it.ok && it.plan).toMatchObject({
      description: "Reads https://example.com/feed.",
      agents: { s: { instructions: "From https://example.com/feed for $5." } },
      body: {
        nodes: [
          {
            call: {
              prompt: ["Fetch https://example.com/feed/1 or https://example.com/feed with  for $5 or $ {A}."],
            },
          },
        ],
      },
    });
    expect(it.ok && it.warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining("API_TOKEN is not set, or is a secret"),
      expect.stringContaining("NOT_SET is not set"),
    ]);
  });

  test("are put into the text of a file too, and into its path", () => {
    const texts: Readonly<Record<string, string>> = {
      "prompts/a.md": "@b.md",
      "b.md": "Fetch $FEED for $$5.",
    };
    const it = compile(
      { text: "name: w\nsteps: [{ id: a, instructions: '@${DIR}/a.md' }]\n", file: "w.yml" },
      { ...files, environment: (name) => ({ ...given, DIR: "prompts" })[name], text: (path) => texts[path] },
    );
    expect(it.ok && it.plan).toMatchObject({
      body: { nodes: [{ call: { prompt: ["Fetch https://example.com/feed for $5."] } }] },
    });
  });

  test("stay as written where the environment is not known", () => {
    const it = read({});
    expect(it.ok && it.plan).toMatchObject({ agents: { s: { instructions: "From ${FEED} for $$5." } } });
    expect(it.ok && it.warnings.length).toBe(3);
  });
});
