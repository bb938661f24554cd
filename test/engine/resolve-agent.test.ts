import { describe, expect, test } from "vitest";
import type { ExecutionContext, StandIn } from "../../src/engine/execution-context.ts";
import { chosenAgent, ofAttempt, resolveAgent } from "../../src/engine/nodes/resolve-agent.ts";
import type { AgentCall, Plan } from "../../src/plan/plan.ts";
import type { AgentRequest } from "../../src/ports/agent.ts";

const agents: Plan["agents"] = {
  critic: {
    agent: "codex",
    model: "big",
    instructions: "Judge.",
    tools: { only: ["Read"] },
    settings: { temperature: 0, maxTokens: 5 },
    schema: { type: "object", properties: { done: { type: "boolean" }, score: { type: "integer" } } },
  },
  bare: { instructions: "Write." },
  typed: { schema: { type: "object", properties: { n: { type: "integer" } } } },
};

const plan = { agents } as unknown as Plan;

/** A place of a run with these settings. */
const at = (more: Partial<Plan> = {}, facts: object = {}, rest: Partial<ExecutionContext> = {}) =>
  ({ plan: { ...plan, ...more }, facts, ...rest }) as unknown as ExecutionContext;

const request = (more: Partial<AgentRequest> = {}): AgentRequest =>
  ({ role: "worker", node: "fix", prompt: "Go.", ...more }) as AgentRequest;

describe("the agent that answers", () => {
  const all = { agent: "user", default_agent: "default", default_judge: "judge" };
  const { agent: _, ...defaults } = all;
  test.each([
    ["the user's choice", { agent: "critic" }, at({ agent: "file" }, all), "user"],
    ["the named agent's", { agent: "critic" }, at({ agent: "file" }, defaults), "codex"],
    ["the file's, if the named agent has none", { agent: "bare" }, at({ agent: "file" }, defaults), "file"],
    ["the call's own", { agent: "gemini" }, at({ agent: "file" }, defaults), "gemini"],
    ["one by the name of a property", { agent: "toString" }, at({ agent: "file" }, defaults), "toString"],
    ["the file's", {}, at({ agent: "file" }, defaults), "file"],
    ["the run's default", {}, at({}, defaults), "default"],
    ["the run's default judge", { role: "judge" }, at({}, defaults), "judge"],
    ["the run's default judge, for a question", { role: "evaluator" }, at({}, defaults), "judge"],
    ["the run's default, without one for judges", { role: "judge" }, at({}, { default_agent: "d" }), "d"],
    ["nobody", {}, at(), undefined],
  ] as const)("is %s", (...[, call, context, agent]) => {
    expect(chosenAgent(call, context)).toBe(agent);
  });
});

describe("the model that answers", () => {
  test.each([
    ["the call's own", { agent: "critic", model: "own" }, at({ model: "file" }), "own"],
    ["the named agent's", { agent: "critic" }, at({ model: "file" }), "big"],
    ["the file's", { agent: "bare" }, at({ model: "file" }), "file"],
    ["the user's", { agent: "critic", model: "own" }, at({ model: "file" }, { model: "user" }), "user"],
    [
      "none, if the user chose another agent",
      { agent: "critic" },
      at({ model: "file" }, { agent: "a" }),
      undefined,
    ],
    [
      "the user's, for the user's agent",
      { agent: "critic" },
      at({ model: "file" }, { agent: "a", model: "user" }),
      "user",
    ],
  ] as const)("is %s", (...[, call, context, model]) => {
    expect(resolveAgent(request(call), context).model).toBe(model);
  });

  test("is the stronger one of a loop without progress, for its workers, whatever the user chose", () => {
    const context = at({}, { model: "user" });
    const escalated = { by: { model: "strong" }, insteadOf: {}, plan: context.plan };
    const model = (call: Partial<AgentRequest>, more: Partial<StandIn> = {}) =>
      resolveAgent(request(call), { ...context, escalated: { ...escalated, ...more } }).model;
    expect(model({ model: "strong" })).toBe("strong");
    expect(model({ model: "other" })).toBe("user");
    expect(model({ model: "strong", role: "judge" })).toBe("user");
    expect(model({ model: "strong" }, { plan: { ...plan } })).toBe("user");
  });
});

test("a call without a named agent gets nothing but its agent and model", () => {
  expect(resolveAgent(request(), at({ agent: "claude", model: "m" }))).toEqual(
    request({ agent: "claude", model: "m" }),
  );
});

test("a named agent adds its instructions, tools, settings and schema; the call's own take precedence", () => {
  const { critic } = agents;
  expect(resolveAgent(request({ agent: "critic" }), at())).toEqual(
    request({
      agent: "codex",
      model: "big",
      instructions: "Judge.",
      tools: { only: ["Read"] },
      settings: { temperature: 0, maxTokens: 5 },
      schema: critic?.schema ?? null,
    }),
  );
  const own = {
    tools: { not: ["Bash"] },
    settings: { temperature: 1 },
    schema: { type: "string" },
    instructions: "Own.",
  };
  expect(resolveAgent(request({ agent: "critic", ...own }), at())).toEqual(
    request({
      ...own,
      agent: "codex",
      model: "big",
      instructions: "Judge.",
      settings: { temperature: 1, maxTokens: 5 },
    }),
  );
});

test("a judge answers in its own format if that says whether the work is done", () => {
  const schema = { type: "object", properties: { done: { type: "boolean" } } };
  const asked = (agent: string) => resolveAgent(request({ role: "judge", agent, schema }), at()).schema;
  expect(asked("critic")).toEqual(agents["critic"]?.schema);
  expect([asked("typed"), asked("bare"), asked("none")]).toEqual([schema, schema, schema]);
  const evaluator = request({ role: "evaluator", agent: "critic", schema });
  expect(resolveAgent(evaluator, at()).schema).toEqual(schema);
});

describe("an agent that stands in for a loop's own", () => {
  const context = at();
  const call: AgentCall = { prompt: ["Go."], idleMs: 1, agent: "claude", model: "small" };
  const standIn: StandIn = {
    by: { agent: "codex", model: "strong" },
    insteadOf: { agent: "claude", model: "small" },
    plan: context.plan,
  };
  const attempt = (more: Partial<StandIn> = {}) =>
    ({ ...standIn, ...more }) as NonNullable<ExecutionContext["attempt"]>;

  test("replaces agent and model, and never keeps the other agent's model", () => {
    const stronger = { ...call, agent: "codex", model: "strong" };
    expect(ofAttempt(call, { ...context, attempt: attempt() })).toEqual(stronger);
    expect(ofAttempt(call, { ...context, escalated: standIn })).toEqual(stronger);
    expect(ofAttempt(call, { ...context, attempt: attempt({ by: { agent: "codex" } }) })).toEqual({
      prompt: ["Go."],
      idleMs: 1,
      agent: "codex",
    });
    expect(ofAttempt(call, { ...context, attempt: attempt({ by: { model: "strong" } }) })).toEqual({
      ...call,
      model: "strong",
    });
  });

  test("takes precedence over that of an attempt, but not for its judges", () => {
    const both = { ...context, attempt: attempt({ by: { agent: "gemini" } }), escalated: standIn };
    expect(ofAttempt(call, both)).toMatchObject({ agent: "codex" });
    expect(ofAttempt({ ...call, role: "gate" }, both)).toEqual({ ...call, role: "gate" });
    expect(ofAttempt({ ...call, role: "gate" }, { ...context, attempt: attempt() })).toMatchObject({
      agent: "codex",
    });
  });

  test("leaves other agents, other models and other workflows alone", () => {
    const others: readonly AgentCall[] = [
      { ...call, agent: "gemini" },
      { ...call, model: "other" },
    ];
    for (const other of others) expect(ofAttempt(other, { ...context, attempt: attempt() })).toBe(other);
    expect(ofAttempt(call, { ...context, attempt: attempt({ plan: { ...plan } }) })).toBe(call);
    expect(ofAttempt(call, context)).toBe(call);
  });
});
