import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { serveMcp } from "../../src/cli/mcp-server.ts";

const schema = { type: "object", properties: {} };

/** What the server says to these lines, in the order of the ids. */
async function replies(...lines: readonly unknown[]) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const said = text(output);
  input.end(lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""));
  await serveMcp({
    tools: [{ name: "echo", description: "says it again", schema }],
    call: async (name, args) => ({ text: JSON.stringify([name, args]), isError: name !== "echo" }),
    input,
    output,
  });
  output.end();
  const all = (await said).split("\n").filter((line) => line !== "");
  return all.map((line) => JSON.parse(line) as { id: unknown; result?: unknown; error?: unknown });
}

const ask = (id: unknown, method: string, params?: unknown) => ({ jsonrpc: "2.0", id, method, params });

test.each([
  ["2024-11-05", "2024-11-05"],
  ["2025-06-18", "2025-06-18"],
  ["2099-01-01", "2025-11-25"],
  [undefined, "2025-11-25"],
])("a client that speaks %s is answered in %s", async (protocolVersion, spoken) => {
  const [reply] = await replies(ask(1, "initialize", { protocolVersion }));
  expect(reply).toMatchObject({
    jsonrpc: "2.0",
    id: 1,
    result: { protocolVersion: spoken, capabilities: { tools: {} }, serverInfo: { name: "until-green" } },
  });
});

test("tools are listed with their schemas, and a call's text comes back with its id, also a text", async () => {
  const [listed, called, wrong] = await replies(
    ask("a", "tools/list"),
    ask("b", "tools/call", { name: "echo", arguments: { word: "größe 🦊" } }),
    ask("c", "tools/call", { name: "other" }),
  );
  expect(listed).toMatchObject({ id: "a", result: { tools: [{ name: "echo", inputSchema: schema }] } });
  expect(called).toMatchObject({ id: "b", result: { isError: false } });
  expect(JSON.stringify(called)).toContain("größe 🦊");
  expect(wrong).toMatchObject({ id: "c", result: { isError: true } });
});

test("notifications and answers get none, and what is not known or no JSON is refused and the rest answered", async () => {
  const told = await replies(
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", id: 7, result: {} },
    ask(1, "resources/list"),
    "{ broken",
    "[]",
    "null",
    ask(2, "tools/call", { arguments: {} }),
    ask(3, "ping"),
  );
  expect(told).toEqual([
    { jsonrpc: "2.0", id: 1, error: { code: -32601, message: expect.stringContaining("resources/list") } },
    { jsonrpc: "2.0", id: null, error: { code: -32700, message: expect.any(String) } },
    { jsonrpc: "2.0", id: 2, error: { code: -32602, message: expect.stringContaining("name") } },
    { jsonrpc: "2.0", id: 3, result: {} },
  ]);
});
