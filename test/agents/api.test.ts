import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ChatCompletionRequest, type FixtureResponse, LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { apiAgent } from "../../src/agents/api.ts";
import { type Agent, type AgentError, sessionsFolder } from "../../src/ports/agent.ts";
import { openEndpoint } from "../key-proxy/endpoint.ts";
import { agentContext, ask, keepsTheAgentContract } from "./agent.contract.ts";
import { halfAMessage } from "./api/message-stream.ts";

type Step =
  | string
  | { readonly tool: string; readonly args: unknown; readonly beside?: string }
  | { readonly status: number; readonly error: object; readonly retryAfter?: number }
  | ((prompt: string) => string);

const mock = new LLMock({ port: 0, host: "127.0.0.1", logLevel: "silent" });
const scripts = new Map<string, readonly Step[]>();
const requests: ChatCompletionRequest[] = [];
const served = new Map<string, number>();

beforeAll(async () => {
  mock.on({ predicate: () => true }, (request) => {
    requests.push(request);
    return replyTo(request);
  });
  await mock.start();
});

afterAll(async () => {
  await mock.stop();
});

const textOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : Array.isArray(content)
      ? content.map((part: { text?: string }) => part.text ?? "").join("")
      : "";

/** The model's name names its script; each request takes the next step. */
function replyTo({ model, messages }: ChatCompletionRequest): FixtureResponse {
  const steps = scripts.get(model) ?? ["no script"];
  const at = served.get(model) ?? 0;
  served.set(model, at + 1);
  const step = steps[Math.min(at, steps.length - 1)] ?? "";
  const usage = { input_tokens: 100, output_tokens: 20, prompt_tokens: 100, completion_tokens: 20 };
  if (typeof step === "string") return { content: step, usage };
  if (typeof step === "function") {
    const prompt = textOf(messages.findLast(({ role }) => role === "user")?.content);
    return { content: step(prompt), usage };
  }
  if ("status" in step) return step as unknown as FixtureResponse;
  const toolCalls = [{ name: step.tool, arguments: JSON.stringify(step.args) }];
  return step.beside === undefined ? { toolCalls, usage } : { content: step.beside, toolCalls, usage };
}

let models = 0;

function agentFor(
  steps: readonly Step[],
  { wire = "anthropic", more = {} }: { wire?: string; more?: Record<string, string> } = {},
): Agent {
  const model = `model-${++models}`;
  scripts.set(model, steps);
  return apiAgent({ named: `${wire}/${model}`, environment: { ...environment(), ...more } });
}

const environment = () => ({
  PATH: process.env["PATH"],
  HOME: process.env["HOME"],
  ANTHROPIC_API_KEY: "sk-ant-real-key",
  ANTHROPIC_BASE_URL: mock.url,
  OPENAI_API_KEY: "sk-openai-real-key",
  OPENAI_BASE_URL: `${mock.url}/v1`,
  DATABASE_URL: "postgres://secret",
});

const tool = (name: string, args: unknown): Step => ({ tool: name, args });

for (const wire of ["anthropic", "openai"]) {
  keepsTheAgentContract(`api over ${wire}`, {
    says: (text) => agentFor([text], { wire }),
    sees: (prompt) => agentFor([(seen) => (seen === prompt ? "seen" : "something else")], { wire }),
    fallsSilent: (text) =>
      agentFor(
        [{ tool: "bash", args: { command: "sleep 300" }, ...(text !== undefined && { beside: text }) }],
        { wire },
      ),
    runs: (script) => agentFor([tool("bash", { command: script }), "done"], { wire }),
    fails: () => agentFor([{ status: 401, error: { message: "invalid x-api-key" } }], { wire }),
  });
}

/** What the last request to a model held. */
const lastTools = () =>
  (requests.at(-1)?.messages ?? [])
    .filter(({ role }) => role === "tool")
    .map(({ content }) => textOf(content));

describe("tools", () => {
  test("read, edit, list and find in the workspace, each after the other", async () => {
    const context = agentContext();
    writeFileSync(join(context.workspace, "sum.js"), "export const sum = (a, b) => a - b;\n");
    const agent = agentFor([
      tool("list", {}),
      tool("read", { path: "sum.js" }),
      tool("edit", { path: "sum.js", old: "a - b", new: "a + b" }),
      tool("grep", { pattern: "a \\+ b" }),
      tool("write", { path: "deep/new.txt", content: "hello" }),
      "All done.",
    ]);
    const answer = await agent.answer(ask(), context);
    expect(answer.text).toBe("All done.");
    expect(readFileSync(join(context.workspace, "sum.js"), "utf8")).toContain("a + b");
    expect(readFileSync(join(context.workspace, "deep/new.txt"), "utf8")).toBe("hello");
    const [listed, read, , found] = lastTools();
    expect(listed).toContain("sum.js");
    expect(read).toContain("1\texport const sum");
    expect(found).toContain("sum.js:1:");
    expect(answer.usage).toEqual({ input_tokens: 600, output_tokens: 120, cost_usd: 0 });
  });

  test.each([
    ["read", { path: "../outside.txt" }],
    ["read", { path: "/etc/passwd" }],
    ["write", { path: "link/x", content: "x" }],
    ["list", { path: ".." }],
    ["grep", { pattern: "x", path: "../.." }],
  ])("%s refuses to leave the workspace by %j, and the model gets an error", async (name, args) => {
    const context = agentContext();
    symlinkSync("/tmp", join(context.workspace, "link"));
    await agentFor([tool(name, args), "ok"]).answer(ask(), context);
    expect(lastTools().at(-1)).toContain("leaves the workspace");
  });

  test("an edit that fits nowhere, or in several places, changes nothing", async () => {
    const context = agentContext();
    writeFileSync(join(context.workspace, "a.txt"), "x x");
    const steps = [
      tool("edit", { path: "a.txt", old: "y", new: "z" }),
      tool("edit", { path: "a.txt", old: "x", new: "z" }),
    ];
    await agentFor([...steps, "ok"]).answer(ask(), context);
    expect(lastTools()).toEqual([
      expect.stringContaining("not in a.txt"),
      expect.stringContaining("2 times"),
    ]);
    expect(readFileSync(join(context.workspace, "a.txt"), "utf8")).toBe("x x");
  });

  test("the shell sees no key and no variable that is not listed", async () => {
    const context = agentContext();
    await agentFor([tool("bash", { command: "env" }), "ok"]).answer(ask(), context);
    const [printed = ""] = lastTools();
    expect(printed).toContain("UNTIL_GREEN_RUN=run-0001");
    expect(printed).toContain("PATH=");
    expect(printed).not.toMatch(/real-key|postgres/);
  });

  test("a command that fails, or takes too long, is for the model to see", async () => {
    const steps = [
      tool("bash", { command: "echo no; exit 3" }),
      tool("bash", { command: "sleep 60", timeout_seconds: 1 }),
    ];
    await agentFor([...steps, "ok"]).answer(ask(), agentContext());
    expect(lastTools()).toEqual(["no\n\n(exit code 3)", expect.stringContaining("ended after 1 s")]);
  });
});

describe("what it says to its loop", () => {
  const schema = { type: "object", properties: { done: { type: "boolean" } }, required: ["done"] };

  test("signals, a result, a message and a note come with the answer", async () => {
    const agent = agentFor([
      tool("complete_loop", { reason: "green" }),
      tool("send_message", { to: "review", text: "look" }),
      tool("checkpoint_note", { text: "was here" }),
      tool("submit_result", { result: { done: "yes" } }),
      tool("submit_result", { result: { done: true } }),
    ]);
    const answer = await agent.answer(ask({ completes: "DONE", schema }), agentContext());
    expect(answer).toMatchObject({
      text: '{"done":true}',
      signals: ["DONE"],
      result: { done: true },
      sent: [{ to: "review", text: "look" }],
      note: "was here",
    });
  });

  test.each(["anthropic", "openai"])(
    "a valid result ends the turn over %s: no request follows, and the text next to the call is the message",
    async (wire) => {
      const before = requests.length;
      const submitted = { tool: "submit_result", args: { result: { done: true } }, beside: "All green." };
      const agent = agentFor(["Let me look.", "too many"], { wire });
      const context = agentContext();
      const { session } = await agent.answer(ask({ prompt: "Remember." }), context);
      const next = agentFor([tool("bash", { command: "true" }), submitted, "too many"], { wire });
      const answer = await next.answer(ask({ schema, session }), context);
      expect(answer).toMatchObject({ text: "All green.", result: { done: true } });
      expect(requests).toHaveLength(before + 3);
      const after = await agentFor(["Yes."], { wire }).answer(ask({ session }), context);
      expect(after.text).toBe("Yes.");
    },
  );

  test("a model that forgets the result is reminded once", async () => {
    const agent = agentFor(["I think so.", tool("submit_result", { result: { done: true } }), ""]);
    const answer = await agent.answer(ask({ role: "judge", schema }), agentContext());
    expect(answer).toMatchObject({ result: { done: true }, text: '{"done":true}' });
  });

  test("a result written into the final message is taken as well", async () => {
    const answer = await agentFor(['{"done": false}']).answer(ask({ schema }), agentContext());
    expect(answer.result).toEqual({ done: false });
  });
});

describe("a conversation", () => {
  test("continues on another machine and with another provider", async () => {
    const first = agentContext();
    const before = agentFor([tool("bash", { command: "echo the word is swordfish" }), "Noted."]);
    const { session } = await before.answer(ask({ prompt: "Remember." }), first);
    const second = agentContext();
    cpSync(join(first.artifacts, sessionsFolder), join(second.artifacts, sessionsFolder), {
      recursive: true,
    });
    const after = agentFor(["It was swordfish."], { wire: "openai" });
    const answer = await after.answer(ask({ prompt: "What was the word?", session }), second);
    expect(answer.session).toBe(session);
    const conversation = requests.at(-1)?.messages.map(({ role, content }) => `${role}: ${textOf(content)}`);
    expect(conversation?.slice(1)).toEqual([
      "user: Remember.",
      expect.stringContaining("assistant:"),
      expect.stringContaining("swordfish"),
      "assistant: Noted.",
      "user: What was the word?",
    ]);
  });

  test("is kept without keys and without marks of one provider", async () => {
    const context = agentContext();
    await agentFor([tool("bash", { command: "env" }), "ok"]).answer(ask(), context);
    const folder = join(context.artifacts, sessionsFolder, "api");
    const kept = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
    expect(kept.join("")).toContain('"role":"assistant"');
    expect(kept.join("")).not.toMatch(/real-key|cacheControl/);
  });

  test("without a record here starts again, with a notice", async () => {
    const { notices } = await agentFor(["ok"]).answer(ask({ session: "gone-1" }), agentContext());
    expect(notices).toContainEqual({ code: "SESSION_LOST", message: expect.stringContaining("gone-1") });
  });

  test("an id that is no file name of ours leads nowhere", async () => {
    const context = agentContext();
    const { session } = await agentFor(["ok"]).answer(ask({ session: "../../evil" }), context);
    expect(session).not.toContain("evil");
    expect(existsSync(join(context.artifacts, "..", "evil.jsonl"))).toBe(false);
  });
});

describe("failures", () => {
  const failing = (status: number, error: object, more = {}): Step => ({ status, error, ...more });

  test.each([
    [401, { message: "invalid x-api-key", type: "authentication_error" }, "auth"],
    [400, { message: "Your credit balance is too low", type: "invalid_request_error" }, "credit"],
    [400, { message: "prompt is too long: 300000 tokens", type: "invalid_request_error" }, "context"],
    [404, { message: "model not found", type: "not_found_error" }, "refused"],
  ])("a %i is of its class: %j", async (status, error, fault) => {
    const answer = agentFor([failing(status, error)]).answer(ask(), agentContext());
    await expect(answer).rejects.toMatchObject({ name: "AgentError", fault });
  });

  test("an authentication problem names the secret, and never its value", async () => {
    const error = await agentFor([failing(401, { message: "no" })])
      .answer(ask(), agentContext())
      .catch((thrown: unknown) => thrown as AgentError);
    expect((error as AgentError).message).toContain("ANTHROPIC_API_KEY");
    expect((error as AgentError).message).not.toContain("real-key");
  });

  test("a rate limit is reported immediately, so that the run waits and retries", async () => {
    const { url } = await openEndpoint((one, response) => {
      const isFirst = times++ === 0;
      response.writeHead(isFirst ? 429 : 200, {
        "content-type": isFirst ? "application/json" : "text/event-stream",
        ...(isFirst ? { "retry-after-ms": "1" } : {}),
      });
      if (isFirst)
        return void response.end('{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}');
      expect(one.headers["x-api-key"]).toBe("sk-ant-real-key");
      const end = [
        { type: "content_block_stop", index: 0 },
        { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 3 } },
        { type: "message_stop" },
      ];
      for (const event of [...halfAMessage, ...end])
        response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      response.end();
    });
    let times = 0;
    const agent = agentFor([], { more: { ANTHROPIC_BASE_URL: url } });
    const [request, context] = [ask(), agentContext()];
    await expect(agent.answer(request, context)).rejects.toMatchObject({ fault: "rate-limit" });
    const answer = await agent.answer(request, context);
    expect(answer).toMatchObject({ text: "half of it", usage: { input_tokens: 1, output_tokens: 3 } });
    expect(times).toBe(2);
  });

  test("a model that calls tools for ever is ended after so many steps", async () => {
    const model = `model-${++models}`;
    scripts.set(model, [tool("list", {})]);
    const agent = apiAgent({ named: `anthropic/${model}`, environment: environment(), mostSteps: 3 });
    await expect(agent.answer(ask(), agentContext())).rejects.toMatchObject({ fault: "max-turns" });
  });

  test("a turn that ends without a word is no answer", async () => {
    await expect(agentFor([""]).answer(ask(), agentContext())).rejects.toMatchObject({ fault: "empty" });
  });
});

describe("which model", () => {
  const only = (variables: Record<string, string>) => (agent: Parameters<typeof apiAgent>[0]) =>
    apiAgent({ ...agent, environment: variables });

  test("without any key it says which ones would do", async () => {
    const asked = only({})({}).answer(ask(), agentContext());
    await expect(asked).rejects.toMatchObject({
      fault: "auth",
      message: expect.stringContaining("OPENAI_API_KEY"),
    });
  });

  test("a provider that is named without its key is refused by the name of that key", async () => {
    const asked = only({ OPENAI_API_KEY: "k" })({ named: "anthropic" }).answer(ask(), agentContext());
    await expect(asked).rejects.toThrow("ANTHROPIC_API_KEY");
  });

  test.each([
    ["the first key's, by itself", {}, "claude-sonnet-5-5"],
    ["that of the provider's name", { named: "openai" }, "gpt-6-sol"],
    ["the one a workflow asks for, of its own maker", { model: "gpt-5" }, "gpt-5"],
    ["one with its provider in front", { model: "openai/special" }, "special"],
  ] as const)("takes %s", async (_, wish: { named?: string; model?: string }, expected) => {
    scripts.set(expected, ["ok"]);
    const agent = apiAgent({ named: wish.named ?? "", environment: environment() });
    onTestFinished(() => void scripts.delete(expected));
    await agent.answer(ask({ model: wish.model }), agentContext());
    expect(requests.at(-1)?.model).toBe(expected);
  });

  test("says once that the price of a model is not known", async () => {
    const agent = agentFor(["one", "two"]);
    const [first, second] = [
      await agent.answer(ask(), agentContext()),
      await agent.answer(ask(), agentContext()),
    ];
    expect(first.notices).toMatchObject([{ code: "COST_UNKNOWN" }]);
    expect(second.notices).toBeUndefined();
  });

  test("counts money if a price is set", async () => {
    const agent = agentFor(["ok"], { more: { UNTIL_GREEN_API_PRICE: "3/15" } });
    const { usage, notices } = await agent.answer(ask(), agentContext());
    expect(notices).toBeUndefined();
    expect(usage?.cost_usd).toBeCloseTo((100 * 3 + 20 * 15) / 1e6, 10);
  });
});
