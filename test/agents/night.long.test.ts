import { existsSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { apiAgent } from "../../src/agents/api.ts";
import { parseLogEvent } from "../../src/engine/log-events.ts";
import { systemClock } from "../../src/local/clock.ts";
import { resume, start } from "../../src/runner/run.ts";
import type { RunEnvironment } from "../../src/runner/run-environment.ts";
import { openEndpoint } from "../key-proxy/endpoint.ts";
import { planOf, runId, stage } from "../parts/stage.ts";
import { agentContext } from "./agent.contract.ts";
import { messageEvents, sendEvents, streamMessage } from "./api/message-stream.ts";

// Eight hours of a loop over a provider that has trouble every few minutes: the real agent, key proxy, tools and retries, on
// a clock that moves with the model's requests and does not wait.

const iterations = 8;
const steps = 16;
const minute = 60_000;
const requestMs = 3.5 * minute;
const tokens = { input_tokens: 1_000, output_tokens: 100 };
const cost = tokens.input_tokens + tokens.output_tokens;

/** What may happen to a request instead of an answer; each in its turn. */
const faults: readonly ((response: ServerResponse, request: IncomingMessage) => void)[] = [
  (response) => refuse(response, 529),
  (response) => refuse(response, 429, { "retry-after": "90" }),
  (response) => refuse(response, 500),
  (_, request) => void request.socket.destroy(),
  (response) => refuse(response, 503),
  // A stream that breaks off, one that ends with an error, and one that falls silent.
  (response) => {
    sendEvents(response, messageEvents({ text: "in vain", usage: tokens }).slice(0, 3));
    setImmediate(() => response.destroy());
  },
  (response) => {
    const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    sendEvents(response, [...messageEvents({ text: "in vain", usage: tokens }).slice(0, 3), error]);
    response.end();
  },
  (response) => sendEvents(response, messageEvents({ text: "in vain", usage: tokens }).slice(0, 3)),
  (response) => refuse(response, 502),
  // Longer than anybody is patient.
  (response) => refuse(response, 429, { "retry-after": "3600" }),
];

function refuse(response: ServerResponse, status: number, headers: Record<string, string> = {}) {
  const types: Readonly<Record<number, string>> = { 429: "rate_limit_error", 529: "overloaded_error" };
  const error = { type: types[status] ?? "api_error", message: "trouble" };
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify({ type: "error", error }));
}

/** The step that a conversation is at: the iteration, and the count of the calls since its prompt. */
function stepOf(body: string): { readonly iteration: number; readonly step: number } {
  const { messages } = JSON.parse(body) as { messages: { role: string; content: { type: string }[] }[] };
  const at = messages.findLastIndex(
    ({ role, content }) => role === "user" && /Iteration \d+\./.test(JSON.stringify(content)),
  );
  const iteration = Number(/Iteration (\d+)\./.exec(JSON.stringify(messages[at]))?.[1]);
  const calls = messages
    .slice(at)
    .flatMap(({ content }) => content.filter(({ type }) => type === "tool_use"));
  return { iteration, step: calls.length + 1 };
}

interface Night {
  /** The most tokens of the run. */
  readonly budget: number;
}

async function playNight({ budget }: Night) {
  let now = Date.UTC(2026, 0, 1, 22);
  let requests = 0;
  const answered: string[] = [];
  const sleeps: number[] = [];
  const { url } = await openEndpoint(({ body }, response, request) => {
    now += requestMs;
    requests += 1;
    // An outage of fifty minutes in the middle of the night.
    const hour = (now - Date.UTC(2026, 0, 1, 22)) / (60 * minute);
    if (hour > 4 && hour < 4.9) return refuse(response, 529);
    const fault = requests % 3 === 0 ? faults[(requests / 3) % faults.length] : undefined;
    if (fault !== undefined) return fault(response, request);
    const { iteration, step } = stepOf(body);
    answered.push(`${iteration}.${step}`);
    const input = { command: `echo ${iteration}.${step} >> steps.txt` };
    const call = step <= steps ? { id: `t-${requests}`, name: "bash", input } : undefined;
    streamMessage(response, { text: `Iteration ${iteration} is over.`, call, usage: tokens });
  });
  const { workspace, artifacts } = agentContext();
  const lines = () => {
    const file = join(workspace, "steps.txt");
    return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  };
  const loop = { prompt: "Iteration $LOOP_ITERATION.", until_bash: "the steps are done", max_iterations: 12 };
  const plan = planOf(
    JSON.stringify({ name: "night", budget: { tokens: budget }, nodes: [{ id: "fix", loop }] }),
  );
  const it = stage(plan, { shell: () => (lines().length >= iterations * steps ? 0 : 1) });
  const agent = apiAgent({
    named: "anthropic/claude-sonnet-5-5",
    environment: {
      PATH: process.env["PATH"],
      ANTHROPIC_API_KEY: "sk-ant-real-key",
      ANTHROPIC_BASE_URL: url,
      UNTIL_GREEN_MODEL_SILENCE_SECONDS: "5",
    },
  });
  const world: RunEnvironment = {
    ...it.world,
    workspace,
    agent: () => agent,
    clock: {
      now: () => new Date(now).toISOString(),
      every: systemClock.every,
      async sleep(ms) {
        sleeps.push(ms);
        now += ms;
        await turn();
      },
    },
  };
  const began = now;
  let session = await start({ plan, facts: { ...it.facts, artifacts } }, world);
  const log = async () => (await it.store.read(runId)).map((line) => parseLogEvent(line));
  while (!session.ended) {
    const pause = (await log()).findLast(({ type }) => type === "run.paused");
    if (pause?.type !== "run.paused" || pause.wake_at === undefined)
      throw new Error("it rests without a reason");
    now = Math.max(now, Date.parse(pause.wake_at));
    session = await resume(runId, world);
  }
  return { it, answered, sleeps, lines: lines(), hours: (now - began) / (60 * minute), log: await log() };
}

const allSteps = Array.from({ length: iterations }, (_, at) =>
  Array.from({ length: steps + 1 }, (_, step) => `${at + 1}.${step + 1}`),
);

test("a night of eight hours with trouble every few minutes ends green, and no step is bought twice", async () => {
  const { it, answered, sleeps, lines, hours, log } = await playNight({ budget: 10_000_000 });
  expect(it.end()).toMatchObject({ conclusion: "success" });
  expect(hours).toBeGreaterThan(8);
  expect(lines).toEqual(allSteps.flatMap((all) => all.slice(0, steps)));
  expect(answered).toEqual(allSteps.flat());
  // Each wait is told before it begins, with its reason, its length and its end.
  const waits = it
    .of("node.retried")
    .map(({ reason }) => /; trying again in (\d+) s, until 20/.exec(reason)?.[1]);
  expect(waits.filter((wait) => wait !== undefined).map(Number)).toEqual(
    sleeps.map((ms) => Math.ceil(ms / 1_000)),
  );
  const pauses = log.flatMap((event) => (event.type === "run.paused" ? [event.stop_reason] : []));
  expect(new Set(pauses)).toEqual(new Set(["outage", "rate-limit"]));
});

test("a budget that ends in the middle of the night is passed by one request at most", async () => {
  const budget = 50 * cost - 1;
  const { it, answered } = await playNight({ budget });
  expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "budget" });
  // Streams that broke off were paid as far as they came.
  expect(answered.length).toBeLessThanOrEqual(50);
  const { input_tokens = 0, output_tokens = 0 } = it.end()?.usage ?? {};
  expect(input_tokens + output_tokens).toBeGreaterThanOrEqual(budget);
  expect(input_tokens + output_tokens).toBeLessThan(budget + cost);
});
