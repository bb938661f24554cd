import { expect, test } from "vitest";
import type { LogEvent } from "../../src/engine/log-events.ts";
import type { Effect } from "../../src/engine/operation.ts";
import { AgentError, type AgentRequest } from "../../src/ports/agent.ts";
import type { EffectContext } from "../../src/runner/perform-effect.ts";
import { performWithRetry } from "../../src/runner/retry-effect.ts";
import type { RunEnvironment } from "../../src/runner/run-environment.ts";

const start = Date.parse("2026-01-01T00:00:00.000Z");
const minute = 60_000;
const isoAt = (ms: number) => new Date(start + ms).toISOString();
const effect = { port: "agent", path: "/fix#1", ask: { agent: "claude", model: "opus", session: "s1" } };

interface Given {
  /** What each request answers: an error, or a text. */
  answer(request: AgentRequest, call: number): AgentError | string;
  readonly context?: Partial<EffectContext>;
}

/** Performs one agent call on a clock of its own; returns all it reported, and when it waited for how long. */
async function perform({ answer, context }: Given) {
  const events: LogEvent[] = [];
  const asked: AgentRequest[] = [];
  const waits: number[] = [];
  let now = start;
  const environment = {
    workspace: "/w",
    secrets: [],
    clock: {
      now: () => new Date(now).toISOString(),
      async sleep(ms: number) {
        waits.push(ms);
        now += ms;
      },
    },
    agent: async () => ({
      async answer(request: AgentRequest) {
        asked.push(request);
        const given = answer(request, asked.length);
        if (given instanceof AgentError) throw given;
        return { text: given, session: "s2" };
      },
    }),
  } as unknown as RunEnvironment;
  const postponed = await performWithRetry(effect as Effect, environment, {
    ...{ facts: {}, totals: {}, patienceMs: 30 * minute, signal: new AbortController().signal },
    ...{ fallback: undefined, walls: () => ({}), inbox: () => [], usedUp: () => undefined },
    ...{ arrive: (event: LogEvent) => void events.push(event), ...context },
  } as unknown as EffectContext);
  return { events, asked, waits, postponed };
}

const failed = { type: "need.failed", at: isoAt(0), path: "/fix#1" };
const met = { type: "need.met", at: isoAt(0), path: "/fix#1", port: "agent" };

test("after temporary errors an agent is asked again, each time after about twice as long, up to a minute", async () => {
  const { events, waits } = await perform({
    answer: (_, call) => (call <= 8 ? new AgentError("overloaded", "busy") : "done"),
  });
  const expected = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, minute, minute];
  expect(waits).toHaveLength(expected.length);
  for (const [index, usual] of expected.entries()) {
    expect(waits[index]).toBeGreaterThanOrEqual(0.8 * usual);
    expect(waits[index]).toBeLessThanOrEqual(1.2 * usual);
  }
  expect(events.map(({ type }) => type)).toEqual([...expected.map(() => "need.failed"), "need.met"]);
  const seconds = Math.ceil((waits[0] ?? 0) / 1_000);
  expect(events[0]).toEqual({
    ...failed,
    because: `busy; trying again in ${seconds} s, until ${isoAt(30 * minute)}`,
    fault: "overloaded",
    final: false,
  });
});

test.each([
  ["a quarter of an hour after an outage", "overloaded", undefined, "outage", 15 * minute],
  ["a quarter of an hour if the provider asks for less", "network", 11 * minute, "outage", 15 * minute],
  ["when the provider says", "rate-limit", 40 * minute, "rate-limit", 40 * minute],
  ["after a day at most", "rate-limit", 72 * 60 * minute, "rate-limit", 24 * 60 * minute],
] as const)("a call that would outlast the patience is postponed: %s", async (...given) => {
  const [, fault, retryAfterMs, reason, waitMs] = given;
  const error = new AgentError(fault, "busy", retryAfterMs === undefined ? {} : { retryAfterMs });
  const { events, waits, postponed } = await perform({ answer: () => error, context: { patienceMs: 500 } });
  expect(postponed).toEqual({ reason, wakeAt: isoAt(waitMs) });
  expect(events).toEqual([
    { ...failed, because: `busy; pausing until ${isoAt(waitMs)}`, fault, final: false },
  ]);
  expect(waits).toEqual([]);
});

test("a wait that ends exactly with the patience is waited for", async () => {
  const { waits, postponed } = await perform({
    answer: (_, call) =>
      call === 1 ? new AgentError("rate-limit", "busy", { retryAfterMs: 10 * minute }) : "done",
    context: { patienceMs: 10 * minute },
  });
  expect([waits, postponed]).toEqual([[10 * minute], undefined]);
});

test("a call that failed for good is not repeated", async () => {
  const { events, asked } = await perform({ answer: () => new AgentError("crash", "it crashed") });
  expect(asked).toHaveLength(1);
  expect(events).toEqual([{ ...failed, because: "it crashed", fault: "crash", final: true }]);
});

test("a call is not made once the budget is used up", async () => {
  const { events, asked } = await perform({ answer: () => "done", context: { usedUp: () => "no money" } });
  expect(asked).toEqual([]);
  expect(events).toEqual([{ ...failed, because: "no money", fault: "timeout", final: true }]);
});

const fallback = { after: 2, by: { agent: "codex", model: "gpt" } };
const shown = (asked: readonly AgentRequest[]) =>
  asked.map(({ agent, model, session }) => [agent, model, session].filter(Boolean).join(" "));
const own = "claude opus s1";

test("a fallback answers after as many errors as configured, without a conversation and without a wait", async () => {
  const { events, asked, waits } = await perform({
    answer: ({ agent }) => (agent === "claude" ? new AgentError("overloaded", "busy") : "done"),
    context: { fallback },
  });
  expect(shown(asked)).toEqual([own, own, "codex gpt"]);
  expect(waits).toHaveLength(1);
  const at = expect.any(String);
  expect(events).toMatchObject([
    { because: expect.stringContaining("busy; trying again in ") },
    { because: "busy; asking codex · gpt instead", final: false },
    { type: "need.met" },
  ]);
  expect(events[2]).toEqual({ ...met, at, answer: { text: "done" } });
});

test("an answer of the call's own agent is recorded as it is, although a fallback was ready", async () => {
  const { events, asked } = await perform({
    answer: () => "done",
    context: { fallback: { ...fallback, after: 1 } },
  });
  expect(shown(asked)).toEqual([own]);
  expect(events).toEqual([{ ...met, answer: { text: "done", session: "s2" } }]);
});

test.each(["missing", "auth", "credit", "refused", "context"] as const)(
  "a fallback that answers %s is asked no more: the call's own agent is",
  async (fault) => {
    const { events, asked, waits } = await perform({
      answer({ agent }, call) {
        if (agent === "codex") return new AgentError(fault, "not this one");
        return call < 5 ? new AgentError("overloaded", "busy") : "done";
      },
      context: { fallback },
    });
    expect(shown(asked)).toEqual([own, own, "codex gpt", own, own]);
    expect(waits).toHaveLength(2);
    expect(events[2]).toMatchObject({ because: "not this one", fault, final: false });
    const at = expect.any(String);
    expect(events.at(-1)).toEqual({ ...met, at, answer: { text: "done", session: "s2" } });
  },
);

test("a fallback that fails itself ends the call, and one that is busy is asked again", async () => {
  const crashed = await perform({
    answer: ({ agent }) =>
      agent === "claude" ? new AgentError("overloaded", "busy") : new AgentError("crash", "it crashed"),
    context: { fallback },
  });
  expect(crashed.events.at(-1)).toMatchObject({ because: "it crashed", fault: "crash", final: true });
  const busy = await perform({
    answer: ({ agent }, call) =>
      agent === "claude" || call < 5 ? new AgentError("overloaded", "busy") : "done",
    context: { fallback },
  });
  expect(shown(busy.asked)).toEqual([own, own, "codex gpt", "codex gpt", "codex gpt"]);
  expect(busy.waits).toHaveLength(3);
});

test("a fallback takes over at once if the provider asks for a longer wait than the patience, and not before", async () => {
  for (const [retryAfterMs, calls] of [
    [30 * minute + 1, [own, "codex gpt"]],
    [30 * minute, [own, own, "codex gpt"]],
  ] as const) {
    const { asked } = await perform({
      answer: ({ agent }) =>
        agent === "claude" ? new AgentError("rate-limit", "busy", { retryAfterMs }) : "done",
      context: { fallback },
    });
    expect(shown(asked)).toEqual(calls);
  }
});

test.each([
  ["another agent keeps its own model", { agent: "codex" }, {}, ["codex"]],
  [
    "another model is asked of the same agent, in its conversation",
    { model: "sonnet" },
    {},
    ["claude sonnet s1"],
  ],
  [
    "the same agent with another model likewise",
    { agent: "claude", model: "sonnet" },
    {},
    ["claude sonnet s1"],
  ],
  ["the same agent and model are none", { agent: "claude", model: "opus" }, {}, []],
  ["the same agent is none", { agent: "claude" }, {}, []],
  ["the same model is none", { model: "opus" }, {}, []],
  ["an agent that the user chose is kept", { agent: "codex" }, { agent: "claude" }, []],
  ["and another model of it may answer", { model: "sonnet" }, { agent: "claude" }, ["claude sonnet s1"]],
])("as a fallback, %s", async (...given) => {
  const [, by, facts, expected] = given;
  const isOwn = ({ agent, model }: AgentRequest) => agent === "claude" && model === "opus";
  const { asked } = await perform({
    answer: (request, call) => (isOwn(request) && call < 4 ? new AgentError("overloaded", "busy") : "done"),
    context: { fallback: { after: 1, by }, facts } as Partial<EffectContext>,
  });
  expect(shown(asked).filter((one) => one !== own)).toEqual(expected);
});
