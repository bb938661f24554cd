import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import {
  type AgentContext,
  agent,
  type ContentBlock,
  methods,
  ndJsonStream,
  RequestError,
  type ToolKind,
} from "@agentclientprotocol/sdk";

/** What the agent does with a prompt: each key that is there, in this order. */
export interface Act {
  /** Asks for permission for a tool of this kind, and says what it got. */
  readonly asks?: ToolKind;
  /** Uses a tool of this kind without asking. */
  readonly uses?: ToolKind;
  /** Says whether the prompt is what this file contains. */
  readonly compares?: string;
  /** Runs bash. */
  readonly runs?: string;
  readonly says?: string;
  /** Adds this many letters. */
  readonly fills?: number;
  /** Says its conversation, its model and the tool servers it got. */
  readonly tells?: true;
  readonly costs?: number;
  readonly hangs?: true;
  readonly stops?: "max_tokens" | "refusal";
  readonly fails?: "login" | "crash" | "exit";
  /** What it can do. */
  readonly can?: readonly ("load" | "mcp" | "models")[];
}

const act: Act = JSON.parse(process.argv[2] ?? "{}");
const can = new Set(act.can);
let model = "small";
let servers: readonly object[] = [];

const textOf = (blocks: readonly ContentBlock[]) =>
  blocks.map((block) => (block.type === "text" ? block.text : "")).join("");

const options = can.has("models")
  ? [
      {
        ...{ id: "m", name: "Model", category: "model", type: "select" as const, currentValue: model },
        options: [
          { value: "small", name: "Small" },
          { value: "big", name: "Big" },
        ],
      },
    ]
  : [];

agent({ name: "test" })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: 1,
    agentCapabilities: { loadSession: can.has("load"), mcpCapabilities: { http: can.has("mcp") } },
  }))
  .onRequest(methods.agent.session.new, ({ params }) => {
    servers = params.mcpServers;
    if (act.fails === "login") throw new RequestError(-32_000, "log in first");
    return { sessionId: `s-${process.pid}-${Date.now()}`, configOptions: options };
  })
  .onRequest(methods.agent.session.load, async ({ params, client }) => {
    if (params.sessionId === "unknown") throw new Error("no such conversation");
    const content = { type: "text" as const, text: "what it said before" };
    const update = { sessionUpdate: "agent_message_chunk" as const, content };
    await client.notify(methods.client.session.update, { sessionId: params.sessionId, update });
    return { configOptions: options };
  })
  .onRequest(methods.agent.session.setConfigOption, ({ params }) => {
    model = String(params.value);
    return { configOptions: options };
  })
  .onRequest(methods.agent.session.prompt, async ({ params: { sessionId, prompt }, client }) => {
    const say = (text: string) =>
      client.notify(methods.client.session.update, {
        sessionId,
        update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
      });
    if (act.fails === "crash") throw new Error("it broke");
    if (act.fails === "exit") {
      process.stderr.write("cannot go on\n", () => process.exit(3));
      await new Promise(() => undefined);
    }
    if (act.asks !== undefined) await say(await askFor(client, sessionId, act.asks));
    if (act.uses !== undefined) {
      const call = { toolCallId: "t2", kind: act.uses, title: "Edit a.txt", status: "in_progress" as const };
      const update = { sessionUpdate: "tool_call" as const, ...call, locations: [{ path: "a.txt" }] };
      await client.notify(methods.client.session.update, { sessionId, update });
    }
    if (act.compares !== undefined)
      await say(textOf(prompt) === readFileSync(act.compares, "utf8") ? "seen" : "changed");
    if (act.runs !== undefined) await say(await run(act.runs));
    if (act.says !== undefined) await say(act.says);
    if (act.fills !== undefined) await say(`${"x".repeat(act.fills)}tail`);
    if (act.tells) await say(JSON.stringify({ sessionId, model, servers, prompt: textOf(prompt) }));
    if (act.costs !== undefined) {
      const cost = { amount: act.costs, currency: "USD" };
      const update = { sessionUpdate: "usage_update" as const, used: 1, size: 2, cost };
      await client.notify(methods.client.session.update, { sessionId, update });
    }
    if (act.hangs) await new Promise(() => setInterval(() => undefined, 60_000));
    return { stopReason: act.stops ?? "end_turn", usage: { inputTokens: 7, outputTokens: 3 } };
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream));

async function askFor(client: AgentContext, sessionId: string, kind: ToolKind): Promise<string> {
  const { outcome } = await client.request(methods.client.session.requestPermission, {
    sessionId,
    toolCall: { toolCallId: "t1", kind, title: "a tool" },
    options: [
      { optionId: "yes", name: "Yes", kind: "allow_once" },
      { optionId: "no", name: "No", kind: "reject_once" },
    ],
  });
  return outcome.outcome === "selected" ? outcome.optionId : "cancelled";
}

const run = (script: string) =>
  new Promise<string>((resolve) => {
    const bash = spawn("bash", ["-c", script], { stdio: ["ignore", "pipe", "inherit"] });
    let out = "";
    bash.stdout.on("data", (chunk) => {
      out += chunk;
    });
    bash.on("close", () => resolve(out.trim()));
  });
