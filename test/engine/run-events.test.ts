import { expect, test } from "vitest";
import { AgentError } from "../../src/ports/agent.ts";
import { stage } from "../parts/stage.ts";

const usage = { input_tokens: 5, output_tokens: 2, cost_usd: 0.25 };

test("a run tells everything that happens, in order", async () => {
  const it = stage(
    `name: t
agent: claude
nodes:
  - { id: look, prompt: "Look.", model: small }
  - id: fix
    depends_on: [look]
    loop: { prompt: "Fix.", until: DONE, max_iterations: 2, fresh_context: true }
  - { id: never, bash: x, depends_on: [fix], when: "1 == 2" }
`,
    {
      facts: {
        file: "t.yml",
        warnings: [{ code: "UNUSED", message: "x is not used", file: "t.yml", line: 3, column: 5 }],
      },
      agent(_, call) {
        if (call === 1)
          return {
            text: "Seen.",
            result: { n: 1 },
            usage,
            note: "remember",
            notices: [{ code: "SLOW", message: "it was slow" }],
            left: ["sleep 9", "node server.js"],
            sent: [
              { to: "people", text: "hello" },
              { to: "look", text: "too late" },
              { to: "nobody", text: "lost" },
            ],
          };
        if (call === 2) return new AgentError("overloaded", "try later", { usage });
        return call === 3 ? { text: "no" } : { text: "DONE", usage };
      },
    },
  );
  await it.begin();
  expect(it.events.map(({ v, run, seq }) => [v, run, seq])).toEqual(
    it.events.map((_, index) => [1, "test-run", index + 1]),
  );
  expect(it.events.map(({ at }) => at)).toEqual(it.events.map(({ at }) => at).toSorted());
  expect(it.events.map(({ v, run, seq, at, ...event }) => event)).toEqual([
    {
      type: "run.started",
      workflow: "t",
      dialect: "native",
      file: "t.yml",
      agent: "claude",
      message: "the message",
    },
    { type: "notice", code: "UNUSED", message: "x is not used", file: "t.yml", line: 3, column: 5 },
    { type: "node.started", path: "/look", node: "look", label: "look", kind: "agent" },
    { type: "agent.asked", path: "/look", agent: "claude", role: "worker", prompt: "Look.", model: "small" },
    {
      type: "agent.answered",
      path: "/look",
      text: "Seen.",
      result: { n: 1 },
      session: "session-1",
      note: "remember",
      usage,
    },
    { type: "notice", code: "SLOW", message: "it was slow", path: "/look" },
    {
      type: "notice",
      code: "LEFT_RUNNING",
      message:
        "the agent left processes running at the end of its turn, and they were stopped: sleep 9; node server.js",
      path: "/look",
    },
    { type: "message.sent", from: "look", to: "people", text: "hello" },
    { type: "message.sent", from: "look", to: "look", text: "too late" },
    { type: "message.sent", from: "look", to: "nobody", text: "lost" },
    { type: "message.dropped", from: "look", to: "nobody", text: "lost", reason: "there is no step nobody" },
    {
      type: "node.ended",
      path: "/look",
      node: "look",
      label: "look",
      status: "completed",
      output: "Seen.",
      result: { n: 1 },
    },
    { type: "message.dropped", to: "look", from: "look", text: "too late", reason: "look has ended" },
    { type: "node.started", path: "/fix", node: "fix", label: "fix", kind: "loop" },
    { type: "loop.started", path: "/fix", node: "fix", mode: "repeat", max: 2 },
    { type: "iteration.started", path: "/fix#1", node: "fix", number: 1 },
    { type: "agent.asked", path: "/fix#1", agent: "claude", role: "worker", prompt: "Fix." },
    {
      type: "agent.failed",
      path: "/fix#1",
      because: expect.stringMatching(/^try later; trying again in [12] s, until /),
      fault: "overloaded",
      usage,
    },
    {
      type: "node.retried",
      path: "/fix#1",
      attempt: 2,
      reason: expect.stringMatching(/^try later; trying again in [12] s, until /),
      fault: "overloaded",
    },
    {
      type: "agent.answered",
      path: "/fix#1",
      text: "no",
      session: "session-3",
      usage: { input_tokens: 0, output_tokens: 0, cost_usd: 0 },
    },
    { type: "stop.tested", path: "/fix#1?1", kind: "signal", verdict: "go-on", because: "no DONE yet" },
    { type: "iteration.ended", path: "/fix#1", node: "fix", number: 1, output: "no" },
    { type: "iteration.started", path: "/fix#2", node: "fix", number: 2 },
    { type: "agent.asked", path: "/fix#2", agent: "claude", role: "worker", prompt: "Fix." },
    { type: "agent.answered", path: "/fix#2", text: "DONE", session: "session-4", usage },
    {
      type: "stop.tested",
      path: "/fix#2?1",
      kind: "signal",
      verdict: "done",
      because: "the agent said DONE",
    },
    { type: "iteration.ended", path: "/fix#2", node: "fix", number: 2, output: "DONE" },
    {
      type: "loop.ended",
      path: "/fix",
      node: "fix",
      status: "completed",
      stop_reason: "signal",
      iterations: 2,
    },
    {
      type: "node.ended",
      path: "/fix",
      node: "fix",
      label: "fix",
      status: "completed",
      output: "DONE",
      reason: "signal",
    },
    {
      type: "node.ended",
      path: "/never",
      node: "never",
      label: "never",
      status: "skipped",
      output: "",
      reason: "its condition is false",
    },
    {
      type: "run.ended",
      conclusion: "success",
      stop_reason: "signal",
      output: "",
      results: { look: { n: 1 }, fix: "DONE" },
      iterations: 2,
      usage: { input_tokens: 15, output_tokens: 6, cost_usd: 0.75 },
    },
  ]);
});
