import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { claudeReader as claude } from "../../../src/agents/claude-events.ts";
import type { CliInvocation, CliProcess, CliResult } from "../../../src/agents/cli/cli-definition.ts";
import type { JsonObject } from "../../../src/agents/cli/json-lines.ts";
import { eventReader as codex } from "../../../src/agents/codex-events.ts";
import { eventReader as copilot } from "../../../src/agents/copilot-events.ts";
import { eventReader as gemini } from "../../../src/agents/gemini-events.ts";
import { eventReader as opencode } from "../../../src/agents/opencode-events.ts";
import type { Usage } from "../../../src/ports/agent.ts";
import type { ProcessEnd } from "../../../src/processes/process.ts";
import { temporaryFolder } from "../../workspace/playground.ts";

type Reading = Pick<CliProcess, "read" | "result">;

interface Case {
  readonly events?: readonly JsonObject[];
  readonly end?: Partial<ProcessEnd>;
}

const turn = {
  say: () => undefined,
  began: () => undefined,
  tool: () => undefined,
  spends: () => undefined,
  giveUp: () => undefined,
} as unknown as CliInvocation;

async function parseEvents(reading: Reading, { events = [], end = {} }: Case): Promise<CliResult> {
  for (const event of events) reading.read(event);
  const quiet: ProcessEnd = { how: "exited", exitCode: 0, stdout: "", stdoutBytes: 0, stderr: "", tail: "" };
  return await reading.result({ ...quiet, ...end });
}

const says = (content: string) => ({ type: "message", role: "assistant", content, delta: true });
const done = (stats: JsonObject) => ({ type: "result", status: "success", stats });
const failed = (message: string) => ({
  type: "result",
  status: "error",
  error: { type: "unknown", message },
});

describe("what Gemini CLI says", () => {
  test("after its last tool is the final message", async () => {
    const events = [
      says("First."),
      { type: "tool_use" },
      says("All "),
      says("done."),
      done({ input_tokens: 3 }),
    ];
    expect(await parseEvents(gemini(turn), { events })).toMatchObject({ text: "All done.", ended: true });
  });

  test.each([
    ["a success without any answer", [done({ input_tokens: 0 })], 0, "empty"],
    ["a success that it stopped", [{ type: "error", message: "Loop detected" }, done({})], 0, "max-turns"],
    ["an empty response", [{ type: "error", message: "an empty response" }], 0, "empty"],
    ["the API's status in its words", [failed('[API Error: {"error":{"code": 429}}]')], 173, "rate-limit"],
    ["the API's status as its exit code", [failed("no")], 145, "auth"],
    ["its own limit of turns", [], 53, "max-turns"],
    ["no way to log in", [], 41, "auth"],
    ["anything else", [failed("what")], 1, "crash"],
  ] as const)("of %s is a fault, whatever its exit code", async (...[, events, exitCode, fault]) => {
    const parsed = await parseEvents(gemini(turn), { events, end: { exitCode } });
    expect(parsed).toMatchObject({ ended: false, trouble: { fault } });
  });

  test("of a defect of its own is the error, not where in its code that was", async () => {
    const stderr = "An error occurred: Error: discovery failed\n    at emit (node:events:514:28)\n";
    const { trouble } = await parseEvents(gemini(turn), { end: { exitCode: 1, stderr } });
    expect(trouble).toEqual({ fault: "crash", message: "An error occurred: Error: discovery failed" });
  });
});

describe("what Copilot CLI says", () => {
  const file = (usage?: unknown) => {
    const path = join(temporaryFolder(), "usage.json");
    writeFileSync(path, JSON.stringify(usage ?? ""));
    return path;
  };
  const message = (content: string, more: JsonObject = {}) => ({
    type: "assistant.message",
    data: { content, ...more },
  });
  const end = { type: "result", sessionId: "s-1", exitCode: 0 };

  test("is its last message, and not that of an agent it asked; tokens are those of all its models", async () => {
    const metrics = { usage: { inputTokens: 10, outputTokens: 2 } };
    const reading = copilot(turn, file({ modelMetrics: { a: metrics, b: metrics } }));
    const events = [message("Mine."), message("Theirs.", { parentToolCallId: "t" }), end];
    expect(await parseEvents(reading, { events })).toEqual({
      text: "Mine.",
      session: "s-1",
      usage: { input_tokens: 20, output_tokens: 4, cost_usd: 0 },
      ended: true,
    });
  });

  test("counts for nothing without its last event", async () => {
    expect(await parseEvents(copilot(turn, file()), { events: [message("Done.")] })).toMatchObject({
      ended: false,
    });
  });

  test.each([
    [{ errorType: "authentication", message: "no" }, "auth"],
    [{ errorType: "rate_limit", message: "no" }, "rate-limit"],
    [{ errorType: "query", statusCode: 500, message: "no" }, "network"],
    [{ errorType: "query", message: "Request exceeds the model's prompt budget" }, "context"],
    [{ errorType: "query", message: "No response was returned" }, "empty"],
    [{}, "crash"],
  ])("of an error %j is an error, though it exits with 0", async (data, fault) => {
    const parsed = await parseEvents(copilot(turn, file()), {
      events: [{ type: "session.error", data }, end],
    });
    expect(parsed).toMatchObject({ ended: false, trouble: { fault } });
  });
});

test("Claude Code's usage is known while it works; a message repeated for each of its parts counts once", async () => {
  const spent: Usage[] = [];
  const part = (id: string, output_tokens: number, more = {}) => ({
    type: "assistant",
    message: { id, content: [], usage: { input_tokens: 100, cache_read_input_tokens: 20, output_tokens } },
    ...more,
  });
  const events = [part("a", 5), part("a", 9), part("b", 1, { parent_tool_use_id: "t" })];
  await parseEvents(claude({ ...turn, spends: (usage) => void spent.push(usage) }), { events });
  expect(spent.map(({ input_tokens, output_tokens }) => [input_tokens, output_tokens])).toEqual([
    [120, 5],
    [120, 9],
    [240, 10],
  ]);
});

describe("with a login of its own, without the key proxy, its own error counts", () => {
  const result = { type: "result", is_error: true, usage: {} };

  test("of Claude Code that its model cannot be reached", async () => {
    const why = "API Error: Can't reach the API server — check your internet or DNS (ENOTFOUND)";
    const events = [
      { type: "assistant", error: "server_error" },
      { ...result, result: why },
    ];
    expect(await parseEvents(claude(turn), { events })).toMatchObject({ trouble: { fault: "network" } });
  });

  test("of Codex that its model cannot be reached", async () => {
    const events = [{ type: "turn.failed", error: { message: "workspace routing discovery failed" } }];
    expect(await parseEvents(codex(turn), { events })).toMatchObject({ trouble: { fault: "network" } });
  });

  test("of Codex that a subscription's limit is used up passes", async () => {
    const message = "You've hit your usage limit. Upgrade to Pro or try again in 2 days 20 hours 55 minutes.";
    const events = [{ type: "turn.failed", error: { message } }];
    expect(await parseEvents(codex(turn), { events })).toMatchObject({ trouble: { fault: "rate-limit" } });
  });

  test("of Copilot CLI about a missing login, and not its other output at the start", async () => {
    const stderr = "Package extraction took 5724ms\nError: No authentication information found.\n";
    const usageFile = join(temporaryFolder(), "usage.json");
    const { trouble } = await parseEvents(copilot(turn, usageFile), { end: { exitCode: 1, stderr } });
    expect(trouble).toEqual({ fault: "auth", message: "Error: No authentication information found." });
  });
});

describe("what opencode says", () => {
  const text = (content: string) => ({ type: "text", sessionID: "ses_1", part: { text: content } });
  const step = (reason: string) => ({
    type: "step_finish",
    part: { reason, cost: 0.5, tokens: { input: 10, output: 2, reasoning: 1, cache: { read: 4, write: 0 } } },
  });

  test("is its last text, when its last step stopped; tokens and money are summed", async () => {
    const events = [text("First."), step("tool-calls"), { type: "step_start" }, text("Done."), step("stop")];
    expect(await parseEvents(opencode(turn), { events })).toMatchObject({
      text: "Done.",
      session: "ses_1",
      ended: true,
      usage: { input_tokens: 28, output_tokens: 6, cost_usd: 1 },
    });
  });

  test.each([
    ["in the middle of its tools", [text("First."), step("tool-calls")]],
    ["in the middle of a step", [step("stop"), { type: "step_start" }, text("First.")]],
  ])("ended %s has not ended, though it exits with 0", async (_, events) => {
    expect(await parseEvents(opencode(turn), { events })).toMatchObject({ ended: false });
  });

  test.each([
    [{ name: "ContextOverflowError", data: { message: "no" } }, "context"],
    [{ name: "APIError", data: { message: "no", statusCode: 401 } }, "auth"],
    [{ name: "APIError", data: { message: "Quota exceeded", statusCode: 429 } }, "credit"],
    [{ name: "APIError", data: { message: "no", statusCode: 429 } }, "rate-limit"],
    [{ name: "APIError", data: { message: "socket", isRetryable: true } }, "network"],
    [{ name: "UnknownError" }, "crash"],
  ])("of an error %j is an error", async (error, fault) => {
    const parsed = await parseEvents(opencode(turn), { events: [{ type: "error", error }] });
    expect(parsed).toMatchObject({ ended: false, trouble: { fault } });
  });

  test("of a model that it does not have is plain text", async () => {
    const end = { exitCode: 1, stderr: "Error: ProviderModelNotFoundError" };
    const parsed = await parseEvents(opencode(turn), { end });
    expect(parsed).toMatchObject({ ended: false, trouble: { fault: "refused" } });
  });
});
