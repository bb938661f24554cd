import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { agentNames } from "../../../src/agents/index.ts";
import { compile } from "../../../src/compile/compile.ts";
import { planSchema } from "../../../src/plan/plan.ts";
import { AgentError, type AgentRequest } from "../../../src/ports/agent.ts";
import { type Props, type Stage, stage } from "../../parts/stage.ts";

const folder = new URL("./seeds/", import.meta.url);
const seed = (name: string) => readFileSync(new URL(`${name}.yml`, folder), "utf8");
const noFiles = { agents: agentNames, command: () => undefined, workflow: () => undefined };

async function run(name: string, agent: NonNullable<Props["agent"]>): Promise<Stage> {
  const it = stage(seed(name), { agent, facts: { message: "" } });
  await it.begin();
  return it;
}

const promptsOf = (it: Stage, node: string) =>
  it.prompts
    .filter((request) => request.node === node && request.role === "worker")
    .map(({ prompt }) => prompt);
const labelsOf = (it: Stage) => it.of("node.started").map(({ label }) => label);
const verdict = (done: boolean) => ({ text: JSON.stringify({ done }), result: { done } });

test.each(readdirSync(folder))(
  "%s compiles without a fault or a warning, and a log can keep its plan",
  (file) => {
    const compiled = compile({ text: readFileSync(new URL(file, folder), "utf8"), file }, noFiles);
    expect(compiled).toMatchObject({ ok: true, dialect: "steps", warnings: [] });
    if (compiled.ok)
      expect(planSchema.parse(JSON.parse(JSON.stringify(compiled.plan)))).toEqual(compiled.plan);
  },
);

test("refine until agreed: until is tested first, then the judge, and each iteration sees the one before", async () => {
  const it = await run("refine-until-agreed", ({ node, role, iteration }) => {
    if (role === "judge") return { text: "the tests are thin", result: { done: false } };
    if (node === "review") return iteration === 2 ? "LGTM" : "rename it";
    return node === "design" ? "a small design" : `code ${iteration}`;
  });
  expect(it.end()).toMatchObject({
    conclusion: "success",
    stop_reason: "expression",
    iterations: 2,
    output: "LGTM",
  });
  expect(labelsOf(it)).toEqual([
    "design",
    "dev-cycle",
    "dev-cycle.0.implement",
    "dev-cycle.0.review",
    "dev-cycle.1.implement",
    "dev-cycle.1.review",
  ]);
  expect(it.of("stop.tested").map(({ path, kind, verdict }) => `${path} ${kind} ${verdict}`)).toEqual([
    "/dev-cycle#1?1 expression go-on",
    "/dev-cycle#1?2 judge go-on",
    "/dev-cycle#2?1 expression done",
  ]);
  expect(it.waits).toEqual([10_000]);
  const [first = "", second = ""] = promptsOf(it, "implement");
  expect(first).toContain("## Output of design\na small design");
  expect(first).not.toContain("iteration 1");
  expect(second).toMatch(
    /a small design[\s\S]*code 1[\s\S]*rename it[\s\S]*the tests are thin[\s\S]*based on review/,
  );
  expect(promptsOf(it, "review")[0]).toContain("## Output of implement\ncode 1");
  expect(promptsOf(it, "review")[0]).not.toContain("a small design");
});

test("health check: the step itself is repeated and sees its previous output", async () => {
  const it = await run("health-check", (_, call) => (call < 3 ? "down" : "all healthy"));
  expect(it.end()).toMatchObject({ conclusion: "success", stop_reason: "expression", iterations: 3 });
  expect(it.end()?.output).toBe("all healthy");
  expect(it.waits).toEqual([30_000, 30_000]);
  expect(it.prompts[0]?.prompt).toBe("Check service health.");
  expect(it.prompts[1]?.prompt).toBe("## Output of iteration 1\ndown\n\nCheck service health.");
  expect(labelsOf(it)).toEqual(["health-check"]);
});

test("judge only: a judge that fails or gives no verdict ends nothing, and is asked again", async () => {
  const it = await run("judge-only", ({ role, iteration }) => {
    if (role !== "judge") return "work";
    if (iteration === 1) return new AgentError("crash", "the judge is ill");
    return iteration === 2 ? "hm, I cannot say" : verdict(true);
  });
  expect(it.end()).toMatchObject({
    conclusion: "success",
    stop_reason: "judge",
    iterations: 3,
    output: "work",
  });
  expect(it.of("notice")).toMatchObject([{ code: "JUDGE_FAILED", path: "/dev-cycle#1?1" }]);
  expect(promptsOf(it, "implement")[2]).toContain("hm, I cannot say");
});

test("deploy each: a list with a hyphen in its step's name, items in parallel, each in its prompts", async () => {
  const services = [{ name: "auth", region: "us-east-1" }, "billing"];
  const it = await run("deploy-each", ({ node, iteration }) =>
    node === "list-services" ? { result: { services } } : `${node} ${iteration} ok`,
  );
  expect(it.end()).toMatchObject({
    conclusion: "success",
    stop_reason: "iterations-done",
    output: "verify 2 ok",
  });
  expect([...labelsOf(it)].sort()).toEqual([
    "deploy-each",
    "deploy-each[0].deploy",
    "deploy-each[0].verify",
    "deploy-each[1].deploy",
    "deploy-each[1].verify",
    "list-services",
  ]);
  const [first = "", second = ""] = promptsOf(it, "deploy");
  expect(first).toContain('## forEach Item (index: 0)\n{"name": "auth", "region": "us-east-1"}');
  expect(second).toContain('## forEach Item (index: 1)\n"billing"');
  expect(promptsOf(it, "verify")[0]).toContain("## forEach Item (index: 0)");
  const results = it.end()?.results;
  expect(results?.["deploy-each"]).toEqual({
    iterations: [
      { id: "deploy-each[0]", index: 0, item: services[0], content: "verify 1 ok", status: "completed" },
      { id: "deploy-each[1]", index: 1, item: "billing", content: "verify 2 ok", status: "completed" },
    ],
  });
});

test("an item that fails keeps those that did not begin from beginning, and the step names all failures", async () => {
  const it = await run("deploy-each", ({ node, iteration }) => {
    if (node === "list-services") return { result: { services: ["a", "b", "c", "d", "e"] } };
    if (iteration !== undefined && iteration < 3) return new AgentError("crash", `${iteration} broke`);
    return "ok";
  });
  const because = "item 1 of 5 failed: 1 broke; item 2 of 5 failed: 2 broke; 2 never started";
  expect(it.end()).toMatchObject({ conclusion: "failure", because });
});

test("a list that turns out empty is done at once, without iterations", async () => {
  const it = await run("dynamic-list", () => ({ text: "none", result: { services: [] } }));
  expect(it.end()).toMatchObject({ conclusion: "success", stop_reason: "iterations-done", iterations: 0 });
  expect(it.end()?.results["deploy"]).toEqual({ iterations: [] });
});

test.each(["static-list", "dynamic-list"])("%s: the step itself is done for each item", async (name) => {
  const services = ["service-a", "service-b", "service-c"];
  const it = await run(name, ({ node, prompt }: AgentRequest) =>
    node === "deploy"
      ? `did ${/service-\w/.exec(prompt.split("forEach Item")[1] ?? "")}`
      : { result: { services } },
  );
  const outputs = it.of("iteration.ended").map(({ item, output }) => [item, output]);
  expect(outputs).toEqual(services.map((service) => [service, `did ${service}`]));
});

test("rounds: without until the loop runs its count, and all of it is in the next step's prompt", async () => {
  const long = "x".repeat(20_000);
  const it = await run("rounds", ({ node, iteration }) =>
    node === "round" ? `round ${iteration} ${long}` : "sum",
  );
  expect(it.end()).toMatchObject({
    conclusion: "success",
    stop_reason: "iterations-done",
    iterations: 3,
    output: "sum",
  });
  const [prompt = ""] = promptsOf(it, "synthesise");
  expect(prompt).toMatch(/Output of rounds[\s\S]*round 1 x[\s\S]*round 2 x[\s\S]*round 3 x[\s\S]*Synthesise/);
  expect(prompt.length).toBeGreaterThan(60_000);
  expect(promptsOf(it, "round")[1]).not.toContain(long);
});

test("the worked example: messages go out under the step's label, the judge decides, the loop stops at its verdict", async () => {
  const it = await run("loop-bidirectional", ({ node, role, iteration = 0 }) => {
    if (role === "judge") return verdict(iteration === 3);
    if (node === "setup") return "READY";
    return {
      text: `STAGE_${iteration}_DONE`,
      sent: [{ to: "coordinator", text: `STAGE_${iteration}: work` }],
    };
  });
  expect(it.end()).toMatchObject({ conclusion: "success", stop_reason: "judge", iterations: 3 });
  expect(it.end()?.output).toMatch(/STAGE_1_DONE[\s\S]*STAGE_2_DONE[\s\S]*STAGE_3_DONE/);
  expect(it.of("message.sent").map(({ from, to, text }) => `${from} → ${to}: ${text}`)).toEqual([
    "loop-stages.0.worker → coordinator: STAGE_1: work",
    "loop-stages.1.worker → coordinator: STAGE_2: work",
    "loop-stages.2.worker → coordinator: STAGE_3: work",
  ]);
  expect(promptsOf(it, "worker")[1]).toMatch(/STAGE_1_DONE[\s\S]*"done":false[\s\S]*Iteration N/);
  const judged = it.prompts.filter(({ role }) => role === "judge");
  expect(judged[2]?.prompt).toMatch(/STAGE_1_DONE[\s\S]*STAGE_2_DONE[\s\S]*STAGE_3_DONE/);
  expect(judged[0]?.schema).toMatchObject({ required: ["done"] });
  expect(judged[0]?.instructions).toBe("Judge: stop after 3 stages.");
});
