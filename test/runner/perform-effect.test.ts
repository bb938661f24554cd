import { expect, test } from "vitest";
import type { Effect } from "../../src/engine/operation.ts";
import { AgentError } from "../../src/ports/agent.ts";
import type { Launch } from "../../src/ports/isolation.ts";
import type { LiveEvent } from "../../src/ports/live-event.ts";
import { type EffectContext, EnvironmentError, performEffect } from "../../src/runner/perform-effect.ts";
import type { RunEnvironment } from "../../src/runner/run-environment.ts";

interface Answering {
  onText(text: string): void;
  wrap?(launch: Launch): unknown;
  readonly workspace: string;
  readonly env: Readonly<Record<string, string>>;
}

const clock = { now: () => "now" };
const launch = { command: "x", args: [], env: {} };

/** Performs one effect whose program prints a line and is started with isolation, if there is any. */
async function perform(effect: object, { isIsolated = true, started = launch as Launch } = {}) {
  const live: LiveEvent[] = [];
  const launched: unknown[] = [];
  const asked: Answering[] = [];
  const answer = async (_: unknown, context: Answering) => {
    asked.push(context);
    context.onText("line\n");
    launched.push(context.wrap?.(started));
    return { exitCode: 0, tail: "", text: "" };
  };
  const environment = {
    workspace: "/checkout",
    secrets: [],
    clock,
    onLive: (event: LiveEvent) => live.push(event),
    shell: { run: answer },
    script: { run: answer },
    agent: async () => ({ answer }),
    ...(isIsolated && { isolation: { wrap: (one: Launch, settings: object) => ({ ...one, settings }) } }),
  } as unknown as RunEnvironment;
  const context = {
    runId: "run-1",
    artifacts: "/artifacts",
    totals: { tags: new Map() },
    signal: new AbortController().signal,
    inbox: () => [],
    walls: (isCheck: boolean) => ({ isCheck }),
  } as unknown as EffectContext;
  const { event } = await performEffect(effect as Effect, environment, context);
  return { event, live, launched, asked };
}

const agent = { port: "agent", path: "/fix#1", ask: { agent: undefined } };
const node = { port: "shell", path: "/build", ask: { role: "node" } };
const check = { port: "shell", path: "/fix#1?1", ask: { role: "check" } };
const inClone = { port: "shell", path: "/fix#1?1", ask: { role: "check", clean: "abc" } };
const script = { port: "script", path: "/count", ask: {} };

test.each([
  ["an agent", agent, { type: "agent.message" }],
  ["a node of bash", node, { type: "node.output" }],
  ["a check", check, { type: "check.output" }],
  ["a check in a fresh clone", inClone, { type: "check.output", clean: true }],
  ["a script", script, { type: "node.output" }],
])("what %s prints is reported as such", async (_, effect, shown) => {
  const { live } = await perform(effect);
  expect(live).toEqual([{ at: "now", path: effect.path, text: "line", ...shown }]);
});

test.each([
  ["an agent", agent, false],
  ["a node of bash", node, false],
  ["a check", check, true],
  ["a script", script, false],
])("the walls around %s are its own", async (_, effect, isCheck) => {
  const { launched } = await perform(effect);
  expect(launched).toMatchObject([{ settings: { isCheck } }]);
});

test("a program may write in its checkout and its artifacts, but not where we keep what agents said", async () => {
  const { launched } = await perform(agent);
  expect(launched).toEqual([
    expect.objectContaining({
      writable: ["/artifacts", "/checkout"],
      kept: expect.arrayContaining([expect.stringMatching(/^\/artifacts\/./)]),
    }),
  ]);
  expect((launched[0] as Launch).kept).toHaveLength(4);
  const inItem = await perform({ ...agent, in: "/item" }, { started: { ...launch, writable: ["/home"] } });
  expect(inItem.launched).toMatchObject([{ writable: ["/home", "/artifacts", "/item"] }]);
  expect(inItem.asked[0]).toMatchObject({
    workspace: "/item",
    env: { UNTIL_GREEN_RUN: "run-1", UNTIL_GREEN_PATH: "/fix#1", UNTIL_GREEN_ARTIFACTS: "/artifacts" },
  });
});

test("without isolation, programs are started as they are", async () => {
  const { asked } = await perform(agent, { isIsolated: false });
  expect(asked[0]).not.toHaveProperty("wrap");
});

test("git works in the checkout of the effect, for its run", async () => {
  const seen: unknown[] = [];
  const { signal } = new AbortController();
  const handle = async (ask: object, at: object) => void seen.push([ask, at]);
  const environment = { workspace: "/checkout", secrets: [], clock, gitWorkspace: { handle } };
  const context = { runId: "run-1", artifacts: "/artifacts", signal, walls: () => ({}) };
  const effect = { port: "workspace", path: "/fix#1!after", ask: { op: "snapshot" }, in: "/item" };
  await performEffect(effect as never, environment as never, context as never);
  expect(seen).toEqual([[{ op: "snapshot" }, { runId: "run-1", signal, workspace: "/item" }]]);
});

test("what a call had used is recorded before a missing program stops the run, and nothing if it used nothing", async () => {
  const usage = { input_tokens: 5, output_tokens: 1, cost_usd: 0.1 };
  for (const used of [usage, undefined]) {
    const arrived: unknown[] = [];
    const error = new AgentError("missing", "claude is gone", used && { usage: used });
    const answer = () => Promise.reject(error);
    const environment = { workspace: "/w", secrets: [], clock, agent: async () => ({ answer }) };
    const context = { signal: new AbortController().signal, totals: {}, walls: () => ({}), inbox: () => [] };
    const done = performEffect(
      agent as never,
      environment as never,
      { ...context, arrive: (event: unknown) => arrived.push(event) } as never,
    );
    await expect(done).rejects.toBeInstanceOf(EnvironmentError);
    expect(arrived).toEqual(used === undefined ? [] : [expect.objectContaining({ usage, final: false })]);
  }
});

test("each message for an agent is handed to it once, also if the same was sent twice", async () => {
  const sent = [
    { from: "ann", text: "a" },
    { from: "ann", text: "a" },
    { from: "bob", text: "a" },
  ];
  const first = [...sent];
  const later = [
    { from: "ann", text: "c" },
    { from: "eve", text: "c" },
  ];
  const handed: unknown[] = [];
  const answer = async (_: unknown, { inbox }: { inbox(): unknown }) => {
    handed.push(inbox(), inbox());
    sent.push({ from: "ann", text: "b" });
    handed.push(inbox());
    sent.push({ from: "ann", text: "b" });
    handed.push(inbox());
    // Another call may have taken what was there before.
    for (const next of later) {
      sent.splice(0, sent.length, next);
      handed.push(inbox());
    }
    return { text: "" };
  };
  const environment = { workspace: "/w", secrets: [], clock, agent: async () => ({ answer }) };
  const context = { signal: new AbortController().signal, totals: {}, walls: () => ({}), inbox: () => sent };
  await performEffect(agent as never, environment as never, context as never);
  const b = { from: "ann", text: "b" };
  expect(handed).toEqual([first, [], [b], [b], ...later.map((one) => [one])]);
});
