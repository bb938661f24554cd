import { expect, test } from "vitest";
import { AgentError } from "../../src/ports/agent.ts";
import { appendDecision } from "../../src/runner/append-decision.ts";
import { runId, type Stage, stage } from "../parts/stage.ts";

const ends = (it: Stage) =>
  it.of("node.ended", "iteration.ended", "loop.ended", "run.ended").map((event) => {
    const path = "path" in event ? event.path : "";
    return `${event.type} ${path} ${"status" in event ? event.status : ""}`.trim();
  });

test("a judge that cannot be asked fails its iteration, then its loop, then its node", async () => {
  const source = `
name: t
agents: { reviewer: { agent: "command:review" } }
nodes:
  - { id: fix, loop: { prompt: fix, until_agent: reviewer, max_iterations: 3 } }
`;
  const it = stage(source, {
    agent: ({ role }) => (role === "judge" ? new AgentError("auth", "the key was refused") : "ok"),
  });
  await it.begin();
  expect(ends(it)).toEqual([
    "iteration.ended /fix#1",
    "loop.ended /fix failed",
    "node.ended /fix failed",
    "run.ended",
  ]);
  expect(it.of("loop.ended")).toMatchObject([{ stop_reason: "agent-error", iterations: 1 }]);
  expect(it.end()).toMatchObject({ stop_reason: "agent-error", because: "the key was refused" });
});

test("with on_error: continue the loop continues after a judge that could not be asked", async () => {
  const source = `
name: t
agents: { reviewer: { agent: "command:review" } }
nodes:
  - { id: fix, loop: { prompt: fix, until_agent: reviewer, max_iterations: 3, on_error: continue } }
`;
  const it = stage(source, {
    agent({ role, iteration }) {
      if (role !== "judge") return "ok";
      return iteration === 1 ? new AgentError("crash", "it fell over") : '{"done": true}';
    },
  });
  await it.begin();
  expect(it.end()).toMatchObject({ conclusion: "success", stop_reason: "judge", iterations: 2 });
});

test("a gate's text that cannot be read ends the loop it belongs to", async () => {
  const source = `
name: t
interactive: true
nodes:
  - { id: bad, bash: bad }
  - id: fix
    depends_on: [bad]
    trigger_rule: all_done
    loop: { prompt: fix, until: DONE, max_iterations: 3, interactive: true, gate_message: "$bad.output" }
`;
  const it = stage(source, { shell: () => 1 });
  await it.begin();
  expect(it.of("loop.ended")).toMatchObject([
    { path: "/fix", status: "failed", stop_reason: "node-failed", iterations: 1 },
  ]);
});

test("a node whose condition cannot be read starts and fails", async () => {
  const source = `
name: t
nodes:
  - { id: bad, bash: bad }
  - { id: next, bash: next, depends_on: [bad], trigger_rule: all_done, when: "$bad.output == 'x'" }
`;
  const it = stage(source, { shell: () => 1 });
  await it.begin();
  const next = it.of("node.started", "node.ended").filter(({ node }) => node === "next");
  expect(next).toMatchObject([{ type: "node.started" }, { type: "node.ended", status: "failed" }]);
});

test("when a run is cancelled, each node that never began ends as cancelled, innermost first", async () => {
  const source = `
name: t
interactive: true
nodes:
  - id: outer
    loop:
      until: DONE
      max_iterations: 2
      nodes:
        - { id: ask, approval: { message: sure } }
        - { id: inner, prompt: inner, depends_on: [ask] }
  - { id: later, prompt: later, depends_on: [outer] }
`;
  const it = stage(source);
  await it.begin();
  const record = { type: "run.cancelled", at: it.world.clock.now(), by: "ann", because: "enough" } as const;
  const done = await appendDecision(it, runId, () => ({ record }));
  if ("events" in done) it.events.push(...done.events);
  expect(ends(it)).toEqual([
    "node.ended /outer#1/inner cancelled",
    "node.ended /later cancelled",
    "node.ended /outer#1/ask cancelled",
    "iteration.ended /outer#1",
    "loop.ended /outer cancelled",
    "node.ended /outer cancelled",
    "run.ended",
  ]);
});

test("an item cut short still says which item it was", async () => {
  const source = `
name: t
nodes:
  - id: each
    loop: { for_each: ["a"], nodes: [{ id: stop, cancel: enough }] }
`;
  const it = stage(source);
  await it.begin();
  expect(it.of("iteration.ended")).toMatchObject([{ number: 1, item: "a" }]);
});

test("a run's reason is that of the loop that failed, whatever else failed before", async () => {
  const source = `
name: t
nodes:
  - { id: early, bash: fail }
  - { id: fix, loop: { prompt: fix, until: DONE, max_iterations: 2 } }
`;
  const it = stage(source, { shell: () => 1 });
  await it.begin();
  expect(it.end()).toMatchObject({
    stop_reason: "max-iterations",
    because: expect.stringMatching(/^fix was not done/),
  });
});

test("a second loop with nothing to do does not hide what the first one did", async () => {
  const source = `
name: t
nodes:
  - { id: fix, loop: { prompt: fix, until: DONE, max_iterations: 2 } }
  - id: lint
    depends_on: [fix]
    loop: { prompt: lint, until_bash: lint, max_iterations: 2, check: { baseline: true } }
`;
  const it = stage(source, { agent: () => "DONE" });
  await it.begin();
  expect(it.end()).toMatchObject({ conclusion: "success", stop_reason: "signal" });
});

test("a body that runs again after a failure keeps its paths", async () => {
  const source = `
name: t
nodes:
  - id: fix
    loop: { nodes: [{ id: work, prompt: work }], until: DONE, max_iterations: 1, on_error: retry, retries: 1 }
`;
  const it = stage(source, { agent: (_, call) => (call === 1 ? new AgentError("crash", "fell") : "DONE") });
  await it.begin();
  expect(it.of("node.started").map(({ path }) => path)).toEqual(["/fix", "/fix#1/work", "/fix#1/work"]);
  expect(it.end()).toMatchObject({ conclusion: "success" });
});

test("an unread message is dropped, and reported", async () => {
  const it = stage("name: t\nnodes: [{ id: a, prompt: a }]\n", {
    agent: () => ({ text: "ok", sent: [{ to: "nobody", text: "hello" }] }),
  });
  await it.begin();
  expect(it.of("message.dropped")).toMatchObject([{ from: "a", to: "nobody", text: "hello" }]);
});

test("a check that breaks when it is run again for a flake is confirmed before it counts as broken", async () => {
  const source = `
name: t
nodes:
  - id: fix
    loop: { prompt: fix, until_bash: test, max_iterations: 1, check: { retries: 2 } }
`;
  const it = stage(source, { shell: (_, call) => [1, 127, 0][call - 1] ?? 1 });
  await it.begin();
  expect(it.end()).toMatchObject({ conclusion: "success", stop_reason: "until-bash" });
});

test("what a loop accumulates is read from upstream, however many loops use the name", async () => {
  const source = `
name: t
nodes:
  - { id: first, loop: { prompt: first, until: DONE, max_iterations: 1, on_max: succeed, accumulate: history } }
  - { id: second, loop: { prompt: second, until: DONE, max_iterations: 1, on_max: succeed, accumulate: history } }
  - { id: read, prompt: "read $history", depends_on: [second] }
`;
  const it = stage(source);
  await it.begin();
  expect(it.prompts.at(-1)?.prompt).toBe("read did second");
});

test("a judge with a schema of its own is asked to keep that one", async () => {
  const source = `
name: t
agents:
  reviewer:
    agent: "command:review"
    result_schema: { type: object, properties: { done: { type: boolean }, score: { type: number } } }
nodes:
  - { id: fix, loop: { prompt: fix, until_agent: reviewer, max_iterations: 1, on_max: succeed } }
`;
  const it = stage(source);
  await it.begin();
  const schema = it.prompts.find(({ role }) => role === "judge")?.schema;
  expect(schema).toMatchObject({ properties: { score: { type: "number" } } });
});

const typeless = "{ properties: { ok: {} }, required: [ok] }";
test.each([
  { of: typeless, text: "I could not do it.", status: "failed" },
  { of: typeless, text: '{"ok": false}', status: "completed" },
  { of: "{ enum: [small, large] }", text: "small", status: "completed" },
  { of: "{ type: string }", text: "a summary", status: "completed" },
])("the answer $text to a schema $of is a node that has $status", async ({ of, text, status }) => {
  const source = `
name: t
nodes:
  - { id: work, prompt: go, output_format: ${of} }
`;
  const it = stage(source, { agent: () => ({ text }) });
  await it.begin();
  expect(it.of("node.ended")[0]).toMatchObject({ status });
});
