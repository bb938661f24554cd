import { existsSync, readFileSync, statSync } from "node:fs";
import { connect } from "node:net";
import { dirname } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect, onTestFinished, test } from "vitest";
import { readLine } from "../../../src/adapters/agents/tool-line.ts";
import { openToolbox } from "../../../src/adapters/agents/toolbox.ts";
import { openScratch } from "../../../src/adapters/scratch.ts";
import type { AgentRequest } from "../../../src/ports/agent.ts";
import { ask, lend } from "./agent.contract.ts";

function open(some: Partial<AgentRequest>) {
  const context = lend();
  const scratch = openScratch(context.artifacts);
  onTestFinished(() => scratch.remove());
  const toolbox = openToolbox({ request: ask(some), context, scratch });
  if (toolbox === undefined) throw new Error("no toolbox");
  return { toolbox, scratch, file: toolbox.args.at(-1) ?? "" };
}

async function start({ command, args }: { readonly command: string; readonly args: readonly string[] }) {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StdioClientTransport({ command, args: [...args] }));
  onTestFinished(() => client.close());
  return client;
}

test("a client of MCP finds the tools, and what it calls is heard by the process that waits for the answer", async () => {
  const schema = { type: "object", properties: { score: { type: "number" } }, required: ["score"] };
  const { toolbox } = open({ completes: "DONE", schema });
  const client = await start(toolbox);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(toolbox.tools);
  await client.callTool({ name: "complete_loop", arguments: { reason: "all green" } });
  const bad = await client.callTool({ name: "submit_result", arguments: { result: { score: "9" } } });
  expect(bad).toMatchObject({ isError: true });
  await client.callTool({ name: "submit_result", arguments: { result: { score: 9 } } });
  await client.callTool({ name: "checkpoint_note", arguments: { text: "half way — größe 🦊" } });
  expect(toolbox.heard()).toEqual({ signals: ["DONE"], result: { score: 9 }, note: "half way — größe 🦊" });
});

test("a request for which no tool makes sense gets no toolbox", () => {
  const context = lend();
  const request = ask({ role: "evaluator" });
  expect(openToolbox({ request, context, scratch: openScratch(context.artifacts) })).toBeUndefined();
});

test("only who may read the file can call, and only while the answer is awaited", async () => {
  const { toolbox, scratch, file } = open({ completes: "DONE" });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const { socket } = JSON.parse(readFileSync(file, "utf8")) as { readonly socket: string };
  const peer = connect(socket);
  peer.write(`${JSON.stringify({ token: "guessed", name: "complete_loop" })}\n`);
  expect(JSON.parse(await readLine(peer))).toMatchObject({ isError: true });
  expect(toolbox.heard()).toEqual({});
  scratch.remove();
  expect(existsSync(dirname(socket))).toBe(false);
});

test("a server whose run is gone says so to its agent and does not crash", async () => {
  const { toolbox, scratch } = open({ completes: "DONE" });
  const client = await start(toolbox);
  scratch.remove();
  const reply = await client.callTool({ name: "complete_loop", arguments: {} });
  expect(reply).toMatchObject({ isError: true });
  expect(JSON.stringify(reply)).toContain("until-green does not answer");
});
