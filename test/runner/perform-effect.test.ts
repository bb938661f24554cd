import { expect, test } from "vitest";
import type { Effect } from "../../src/engine/operation.ts";
import type { Launch } from "../../src/ports/isolation.ts";
import type { LiveEvent } from "../../src/ports/live-event.ts";
import { type EffectContext, performEffect } from "../../src/runner/perform-effect.ts";
import type { RunEnvironment } from "../../src/runner/run-environment.ts";

interface Answering {
  onText(text: string): void;
  wrap?(launch: Launch): unknown;
  readonly workspace: string;
  readonly env: Readonly<Record<string, string>>;
}

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
    clock: { now: () => "now" },
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
