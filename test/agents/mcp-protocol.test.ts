import { expect, test } from "vitest";
import type { LoopTools } from "../../src/agents/loop-tools.ts";
import { answerMcp } from "../../src/agents/mcp-server.ts";

const schema = { type: "object", properties: {} };
const tools: LoopTools = {
  offered: [{ name: "echo", description: "says it again", schema }],
  call: (name, args) => ({ text: JSON.stringify([name, args]), isError: name !== "echo" }),
  answer: () => ({}),
};

/** What the server says to one message, read. */
function replyTo(message: unknown) {
  const reply = answerMcp(typeof message === "string" ? message : JSON.stringify(message), tools);
  return reply === undefined ? undefined : (JSON.parse(reply) as unknown);
}

const ask = (id: unknown, method: string, params?: unknown) => ({ jsonrpc: "2.0", id, method, params });

test.each([
  ["2024-11-05", "2024-11-05"],
  ["2025-06-18", "2025-06-18"],
  ["2099-01-01", "2025-11-25"],
  [undefined, "2025-11-25"],
])("a client that speaks %s is answered in %s", (protocolVersion, spoken) => {
  expect(replyTo(ask(1, "initialize", { protocolVersion }))).toMatchObject({
    jsonrpc: "2.0",
    id: 1,
    result: { protocolVersion: spoken, capabilities: { tools: {} }, serverInfo: { name: "until-green" } },
  });
});

test("tools are listed with their schemas, and a call's text comes back with its id, also a text", () => {
  expect(replyTo(ask("a", "tools/list"))).toMatchObject({
    id: "a",
    result: { tools: [{ name: "echo", inputSchema: schema }] },
  });
  const called = replyTo(ask("b", "tools/call", { name: "echo", arguments: { word: "größe 🦊" } }));
  expect(called).toMatchObject({ id: "b", result: { isError: false } });
  expect(JSON.stringify(called)).toContain("größe 🦊");
  expect(replyTo(ask("c", "tools/call", { name: "other" }))).toMatchObject({
    id: "c",
    result: { isError: true },
  });
});

test.each([
  ["a notification", { jsonrpc: "2.0", method: "notifications/initialized" }],
  ["an answer", { jsonrpc: "2.0", id: 7, result: {} }],
  ["a list", "[]"],
  ["nothing", "null"],
])("%s gets no answer", (_, message) => {
  expect(replyTo(message)).toBeUndefined();
});

test.each([
  { what: "an unknown method", message: ask(1, "resources/list"), id: 1, code: -32601 },
  { what: "no JSON", message: "{ broken", id: null, code: -32700 },
  {
    what: "a call without a name",
    message: ask(2, "tools/call", { arguments: {} }),
    id: 2,
    code: -32602,
  },
])("$what is refused", ({ message, id, code }) => {
  expect(replyTo(message)).toMatchObject({ jsonrpc: "2.0", id, error: { code } });
});

test("a ping is answered with nothing in it", () => {
  expect(replyTo(ask(3, "ping"))).toEqual({ jsonrpc: "2.0", id: 3, result: {} });
});
