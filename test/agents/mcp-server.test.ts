import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { expect, onTestFinished, test } from "vitest";
import { type McpServer, startMcpServer } from "../../src/agents/mcp-server.ts";
import type { AgentRequest } from "../../src/ports/agent.ts";
import { openPrivateTempDir } from "../../src/processes/private-temp-dir.ts";
import { agentContext, ask } from "./agent.contract.ts";

async function open(some: Partial<AgentRequest>) {
  const context = agentContext();
  const scratch = openPrivateTempDir(context.artifacts);
  onTestFinished(() => scratch.remove());
  const toolbox = await startMcpServer({ request: ask(some), context, scratch });
  if (toolbox === undefined) throw new Error("no toolbox");
  return { toolbox, scratch };
}

async function start({ url, key }: Pick<McpServer, "url" | "key">) {
  const client = new Client({ name: "test", version: "1" });
  const headers = { Authorization: `Bearer ${key}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return client;
}

test("an MCP client finds the tools, and its calls reach the process that waits for the answer", async () => {
  const schema = { type: "object", properties: { score: { type: "number" } }, required: ["score"] };
  const { toolbox } = await open({ completes: "DONE", schema });
  const client = await start(toolbox);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(toolbox.tools.map(({ name }) => name));
  await client.callTool({ name: "complete_loop", arguments: { reason: "all green" } });
  const bad = await client.callTool({ name: "submit_result", arguments: { result: { score: "9" } } });
  expect(bad).toMatchObject({ isError: true });
  await client.callTool({ name: "submit_result", arguments: { result: { score: 9 } } });
  await client.callTool({ name: "checkpoint_note", arguments: { text: "half way — größe 🦊" } });
  expect(toolbox.answer()).toEqual({ signals: ["DONE"], result: { score: 9 }, note: "half way — größe 🦊" });
});

test("a request for which no tool makes sense gets no toolbox", async () => {
  const context = agentContext();
  const request = ask({ role: "evaluator" });
  expect(
    await startMcpServer({ request, context, scratch: openPrivateTempDir(context.artifacts) }),
  ).toBeUndefined();
});

const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "complete_loop" } };

test.each([
  ["no key", undefined],
  ["a guessed one", `Bearer ${"0".repeat(48)}`],
  ["half of one", "Bearer 0"],
])("with %s nothing is called", async (_, authorization) => {
  const { toolbox } = await open({ completes: "DONE" });
  const headers = authorization === undefined ? {} : { authorization };
  const { status } = await fetch(toolbox.url, { method: "POST", headers, body: JSON.stringify(call) });
  expect(status).toBe(401);
  expect(toolbox.answer()).toEqual({});
});

test("two parallel calls of an agent have a key each, and neither opens the other's tools", async () => {
  const [one, other] = [await open({ completes: "ONE" }), await open({ completes: "OTHER" })];
  const strange = { url: one.toolbox.url, key: other.toolbox.key };
  await expect(start(strange)).rejects.toThrow();
  await (await start(other.toolbox)).callTool({ name: "complete_loop", arguments: {} });
  expect([one.toolbox.answer(), other.toolbox.answer()]).toEqual([{}, { signals: ["OTHER"] }]);
});

test("a call longer than any tool takes is refused, and the next one served", async () => {
  const { toolbox } = await open({ completes: "DONE" });
  const headers = { authorization: `Bearer ${toolbox.key}` };
  const body = JSON.stringify({ ...call, params: { name: "complete_loop", text: "x".repeat(5_000_000) } });
  expect((await fetch(toolbox.url, { method: "POST", headers, body })).status).toBe(413);
  expect(toolbox.answer()).toEqual({});
  const { status } = await fetch(toolbox.url, { method: "POST", headers, body: JSON.stringify(call) });
  expect([status, toolbox.answer()]).toEqual([200, { signals: ["DONE"] }]);
});

test("once the answer is there, the server is closed", async () => {
  const { toolbox, scratch } = await open({ completes: "DONE" });
  const client = await start(toolbox);
  scratch.remove();
  await expect(client.callTool({ name: "complete_loop", arguments: {} })).rejects.toThrow();
});
