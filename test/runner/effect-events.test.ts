import { expect, test } from "vitest";
import type { LogEvent } from "../../src/engine/log-events.ts";
import type { Effect } from "../../src/engine/operation.ts";
import { type AgentContext, AgentError } from "../../src/ports/agent.ts";
import type { LiveEvent } from "../../src/ports/live-event.ts";
import { type EffectContext, EnvironmentError, performEffect } from "../../src/runner/perform-effect.ts";
import type { RunEnvironment } from "../../src/runner/run-environment.ts";

const usage = { input_tokens: 5, output_tokens: 1, cost_usd: 0.1 };
const secret = "hush-hush-hush";

interface Given {
  readonly world?: object;
  readonly context?: object;
}

/** Performs one effect; what it reported meanwhile is in `arrived` and `live`. */
function perform(effect: object, { world, context }: Given) {
  const arrived: LogEvent[] = [];
  const live: LiveEvent[] = [];
  const environment = {
    ...{ workspace: "/checkout", secrets: [secret], clock: { now: () => "now" } },
    ...{ onLive: (event: LiveEvent) => void live.push(event), ...world },
  } as unknown as RunEnvironment;
  const result = performEffect(effect as Effect, environment, {
    ...{ runId: "run-1", facts: { limits: { usd: 3 } }, artifacts: "/artifacts", totals: {} },
    ...{ signal: new AbortController().signal, inbox: () => [], walls: () => ({}) },
    ...{ arrive: (event: LogEvent) => void arrived.push(event), ...context },
  } as unknown as EffectContext);
  return { result, arrived, live };
}

const agent = { port: "agent", path: "/fix~2#1", ask: { agent: undefined } };
const shell = { port: "shell", path: "/build", ask: { role: "node" } };
const git = { port: "workspace", path: "/fix!after", ask: { op: "snapshot" } };
const answering = (answer: (request: unknown, context: AgentContext) => unknown) => ({
  world: { agent: async () => ({ answer }) },
});
const failing = (error: Error) => answering(() => Promise.reject(error));
const failed = { type: "need.failed", at: "now", path: "/fix~2#1", because: "oops" };

test.each([
  ["that may pass", "overloaded", {}, { final: false }, undefined],
  ["that may pass, with a time", "rate-limit", { retryAfterMs: 500 }, { final: false }, 500],
  ["for good", "crash", {}, { final: true }, undefined],
  [
    "with its usage and a tag",
    "crash",
    { usage: { ...usage, output_tokens: -1 }, tag: "a" },
    { final: true, usage: { ...usage, output_tokens: 0 }, tag: "a" },
    undefined,
  ],
] as const)("an agent's error %s is recorded as such", async (...given) => {
  const [, fault, options, recorded, retryAfterMs] = given;
  const { result, arrived } = perform(agent, failing(new AgentError(fault, "oops", options)));
  expect(await result).toEqual({ event: { ...failed, fault, ...recorded }, retryAfterMs });
  expect(arrived).toEqual([]);
});

test.each([
  ["a program that is missing", agent, new AgentError("missing", `no ${secret}`)],
  ["an error that the user can fix", agent, new AgentError("auth", `no ${secret}`, { isFixable: true })],
  ["a defect of an agent", agent, new TypeError(`no ${secret}`)],
])("%s ends the process, without secrets, and fails no node", async (_, effect, error) => {
  const { result } = perform(effect, failing(error));
  await expect(result).rejects.toBeInstanceOf(EnvironmentError);
  await expect(result).rejects.toMatchObject({ name: "EnvironmentError", message: "no ***", cause: error });
});

test("a program of a node that cannot be started ends the process; a refusal by git fails the node", async () => {
  const run = () => Promise.reject(new Error("oops"));
  await expect(perform(shell, { world: { shell: { run } } }).result).rejects.toThrow(EnvironmentError);
  const refused = await perform(git, { world: { gitWorkspace: { handle: run } } }).result;
  expect(refused).toEqual({ event: { ...failed, path: "/fix!after", final: true } });
  const without = await perform(git, {}).result;
  expect(without.event).toMatchObject({
    because: "this workspace is not a git repository: run `git init` there",
    final: true,
  });
});

test("one of several agents that is missing fails its own call: the others go on", async () => {
  const error = new AgentError("missing", "oops");
  const { result } = perform({ ...agent, hasOthers: true }, failing(error));
  expect((await result).event).toEqual({ ...failed, fault: "missing", final: true });
  // What is no agent's error is nobody's in particular.
  const defect = perform({ ...agent, hasOthers: true }, failing(new Error("oops")));
  await expect(defect.result).rejects.toThrow(EnvironmentError);
});

test.each([
  ["answers", () => ({ text: "too late" })],
  ["fails", () => Promise.reject(new AgentError("crash", "killed"))],
])("what an agent %s after it was stopped is not recorded", async (_, answer) => {
  const stop = new AbortController();
  const reason = new Error("no longer wanted");
  const stopping = answering(() => {
    stop.abort(reason);
    return answer();
  });
  const { result } = perform(agent, { ...stopping, context: { signal: stop.signal } });
  await expect(result).rejects.toBe(reason);
});

test("an agent is given what the runner knows, and what it reports meanwhile is passed on", async () => {
  const given = { totals: { tags: new Map([["a", 1]]) }, prices: {}, spending: {} };
  const seen: AgentContext[] = [];
  const { result, live, arrived } = perform(agent, {
    ...answering((_, context) => {
      seen.push(context);
      context.onTool?.({ name: "Bash", about: `echo ${secret}` });
      context.onUsage?.(usage);
      context.onText("half a line");
      context.onSpent?.({ ...usage, cost_usd: Number.NaN });
      return { text: `it is ${secret}`, usage: { ...usage, cost_usd: -1 } };
    }),
    context: given,
  });
  const at = "now";
  const answer = { text: "it is ***", usage: { ...usage, cost_usd: 0 } };
  expect(await result).toEqual({
    event: { type: "need.met", at, path: "/fix~2#1", port: "agent", answer },
  });
  // The path of an attempt is that of its node.
  const path = "/fix#1";
  expect(live).toEqual([
    { at, path, type: "agent.tool", tool: "Bash", about: "echo ***" },
    { at, path, type: "agent.usage", usage },
    { at, path, type: "agent.message", text: "half a line" },
  ]);
  const because = "it was stopped before it answered";
  const spent = { ...usage, cost_usd: 0 };
  expect(arrived).toEqual([{ ...failed, because, final: false, usage: spent }]);
  expect(seen[0]).toMatchObject({ workspace: "/checkout", artifacts: "/artifacts" });
  expect(seen[0]?.env["UNTIL_GREEN_PATH"]).toBe(path);
  expect(seen[0]?.tags).toBe(given.totals.tags);
  expect(seen[0]?.prices).toBe(given.prices);
  expect(seen[0]?.spending).toBe(given.spending);
});

test("a wait ends with the time waited, and a run without a shared budget keeps its limits", async () => {
  const slept: number[] = [];
  const clock = { now: () => "now", sleep: async (ms: number) => void slept.push(ms) };
  const timer = { port: "timer", path: "/wait", ask: { ms: 700 } };
  expect((await perform(timer, { world: { clock } }).result).event).toMatchObject({
    answer: { waited: 700 },
  });
  expect(slept).toEqual([700]);
  const budget = { port: "budget", path: "/fix!budget", ask: {} };
  expect((await perform(budget, {}).result).event).toMatchObject({ port: "budget", answer: { usd: 3 } });
});

test.each([
  ["checkout", undefined, "/checkout"],
  ["checkout", "/item", "/item"],
  ["artifacts", "/item", "/artifacts"],
])("a file of the %s is read there, for an effect in %s", async (of, at, folder) => {
  const readFile = async (...asked: unknown[]) => ({ text: JSON.stringify(asked) });
  const ask = { path: "a.txt", of, most: 9 };
  const effect = { port: "file", path: "/read", ask, ...(at === undefined ? {} : { in: at }) };
  const { event } = await perform(effect, { world: { readFile } }).result;
  expect(event).toMatchObject({ answer: { text: JSON.stringify([ask, folder]) } });
});

test("a question to a person is never asked of a program", async () => {
  const { result } = perform({ port: "human", path: "/gate", ask: {} }, {});
  await expect(result).rejects.toThrow("no machine can answer /gate");
});
