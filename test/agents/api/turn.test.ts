import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { apiAgent } from "../../../src/agents/api.ts";
import type { Usage } from "../../../src/ports/agent.ts";
import { openEndpoint } from "../../key-proxy/endpoint.ts";
import { agentContext, ask } from "../agent.contract.ts";
import { streamMessage } from "./message-stream.ts";

const environmentOf = (url: string) => ({
  PATH: process.env["PATH"],
  ANTHROPIC_API_KEY: "sk-real-key",
  ANTHROPIC_BASE_URL: url,
});

test("what a killed process spent on its turn is reported by the next one, once", async () => {
  const [killed, spent] = [agentContext(), [] as Usage[]];
  const stop = new AbortController();
  const { url, asked } = await openEndpoint((_, response) => {
    const usage = { input_tokens: 1_000, output_tokens: 100 };
    const call = { id: "t-1", name: "bash", input: { command: "true" } };
    if (asked.length !== 2)
      return streamMessage(response, { text: "Done.", call: asked.length === 1 ? call : undefined, usage });
    // As a kill leaves it at this moment.
    cpSync(first.artifacts, killed.artifacts, { recursive: true });
    stop.abort(new Error("gone"));
  });
  const first = agentContext({ signal: stop.signal });
  const agent = apiAgent({ named: "anthropic/claude-sonnet-5-5", environment: environmentOf(url) });
  await expect(agent.answer(ask(), first)).rejects.toThrow("gone");
  const context = { ...killed, onSpent: (usage: Usage) => void spent.push(usage) };
  const { usage } = await agent.answer(ask(), context);
  expect(spent).toEqual([usage]);
  expect(usage).toMatchObject({ input_tokens: 1_000, output_tokens: 100 });
  await agent.answer(ask(), context);
  expect(spent).toHaveLength(1);
});

test("a turn that fails before its first answer keeps its prompt, also in a continued conversation", async () => {
  const { url, asked } = await openEndpoint((_, response) => {
    if (asked.length !== 2)
      return streamMessage(response, { text: "Well.", usage: { input_tokens: 1, output_tokens: 1 } });
    response.writeHead(529, { "content-type": "application/json" });
    response.end('{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}');
  });
  const agent = apiAgent({ named: "anthropic/claude-sonnet-5-5", environment: environmentOf(url) });
  const context = agentContext();
  const { session } = await agent.answer(ask({ prompt: "One." }), context);
  const second = ask({ prompt: "Two.", session });
  await expect(agent.answer(second, context)).rejects.toMatchObject({ fault: "overloaded" });
  expect((await agent.answer(second, context)).text).toBe("Well.");
  const { messages } = JSON.parse(asked.at(-1)?.body ?? "{}") as { messages: { content: object[] }[] };
  expect(messages.at(-1)?.content).toMatchObject([{ type: "text", text: "Two." }]);
});

test("a request that is too large in the middle of a turn: a new conversation knows the steps done", async () => {
  const usage = { input_tokens: 100, output_tokens: 20 };
  const { url, asked } = await openEndpoint((_, response) => {
    const step = asked.length;
    if (step === 3) {
      response.writeHead(413, { "content-type": "application/json" });
      return void response.end('{"type":"error","error":{"type":"request_too_large","message":"too large"}}');
    }
    const call = { id: `t-${step}`, name: "bash", input: { command: `echo s${step} >> steps.txt` } };
    streamMessage(response, { text: "Done.", call: step < 3 ? call : undefined, usage });
  });
  const agent = apiAgent({ named: "anthropic/claude-sonnet-5-5", environment: environmentOf(url) });
  const context = agentContext();
  const answer = await agent.answer(ask({ prompt: "Go." }), context);
  expect(answer).toMatchObject({ text: "Done.", usage: { input_tokens: 300, output_tokens: 60 } });
  expect(answer.notices?.map(({ code }) => code)).toContain("CONTEXT_FULL");
  const { messages } = JSON.parse(asked.at(-1)?.body ?? "{}") as { messages: { content: object[] }[] };
  const text = expect.stringMatching(
    /do not repeat them:\n> bash: echo s1 >> steps\.txt\n> bash: echo s2 >> steps\.txt\n.*Your task now:\n\nGo\.$/s,
  );
  expect(messages).toMatchObject([{ content: [{ text }] }]);
});

test.each([
  ["worker", true],
  ["judge", false],
] as const)("a %s that reads a file is shown its folder's instructions: %s", async (role, isShown) => {
  const { url, asked } = await openEndpoint((_, response) => {
    const usage = { input_tokens: 1, output_tokens: 1 };
    const call = { id: "t-1", name: "read", input: { path: "a/file.txt" } };
    streamMessage(response, { text: "Done.", call: asked.length === 1 ? call : undefined, usage });
  });
  const context = agentContext();
  mkdirSync(join(context.workspace, "a"));
  writeFileSync(join(context.workspace, "a/AGENTS.md"), "Our word is QUINCE.");
  writeFileSync(join(context.workspace, "a/file.txt"), "the text of the file");
  const agent = apiAgent({ named: "anthropic/claude-sonnet-5-5", environment: environmentOf(url) });
  await agent.answer(ask({ role }), context);
  const [first = "", second = ""] = asked.map(({ body }) => body);
  expect(first).not.toContain("QUINCE");
  expect(second).toContain("the text of the file");
  expect(second.includes("QUINCE")).toBe(isShown);
});
