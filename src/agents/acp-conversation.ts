import type { Writable } from "node:stream";
import {
  type AgentCapabilities,
  type AnyMessage,
  type ClientContext,
  client,
  type LoadSessionResponse,
  type McpServer as McpEntry,
  methods,
  type NewSessionResponse,
  PROTOCOL_VERSION,
  type PromptResponse,
  type ResumeSessionResponse,
  type SessionConfigOption,
} from "@agentclientprotocol/sdk";
import { z } from "zod";
import { type AgentContext, AgentError, type AgentRequest, type Usage } from "../ports/agent.ts";
import { AcpListener } from "./acp-listener.ts";
import { jsonLines } from "./cli/json-lines.ts";
import type { McpServer } from "./mcp-server.ts";

/** How a turn ended that the program ended itself. */
export interface AcpTurn {
  readonly session: string;
  readonly stopReason: string;
  /** True if it should continue a conversation, but the program does not know it. */
  readonly isLost: boolean;
}

interface Conversing {
  readonly name: string;
  readonly request: AgentRequest;
  readonly context: AgentContext;
  readonly tools: McpServer | undefined;
}

/** One prompt to a program that speaks the Agent Client Protocol, over its standard input and output. */
export interface AcpConversation {
  /** Reads from its standard output. */
  push(text: string): void;
  /** Says that the program has ended: an answer that is missing will not come. */
  close(): void;
  /** Talks until the program has answered; throws an `AgentError` if it gives no answer. */
  talk(stdin: Writable): Promise<AcpTurn>;
  readonly heard: { readonly text: string; readonly usage: Usage | undefined };
}

/** A longer message is cut: only what a file or a command printed is that long. */
const mostMessage = 4 * 1024 * 1024;

export function openAcp(call: Conversing): AcpConversation {
  const heard = new AcpListener(call);
  const messages = new TransformStream<AnyMessage, AnyMessage>();
  const writer = messages.writable.getWriter();
  const lines = jsonLines(
    (event) => void writer.write(event as unknown as AnyMessage).catch(() => undefined),
    mostMessage,
  );
  return {
    heard,
    push: lines.push,
    close() {
      lines.end();
      // The other side may have closed it.
      writer.close().catch(() => undefined);
    },
    async talk(stdin) {
      // The program may have ended: what it says then tells why.
      stdin.on("error", () => undefined);
      const writable = new WritableStream<AnyMessage>({
        write: (message) => void stdin.write(`${JSON.stringify(message)}\n`),
      });
      const app = client({ name: "until-green" })
        .onRequest(methods.client.session.requestPermission, ({ params }) => heard.decide(params))
        .onNotification(methods.client.session.update, ({ params }) => heard.update(params.update));
      try {
        const conversed = app.connectWith({ readable: messages.readable, writable }, (agent) =>
          converse(agent, call, heard),
        );
        return await Promise.race([conversed, heard.refused]);
      } finally {
        stdin.end();
      }
    },
  };
}

async function converse(agent: ClientContext, call: Conversing, heard: AcpListener): Promise<AcpTurn> {
  const { name, request, context, tools } = call;
  const { agentCapabilities = {} } = await agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientInfo: { name: "until-green", version: "0" },
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
  });
  const mcpServers = agentCapabilities.mcpCapabilities?.http && tools ? [serverOf(tools)] : [];
  const place = { cwd: context.workspace, mcpServers };
  const known = await continueSession(agent, { can: agentCapabilities, place, session: request.session });
  const { sessionId, configOptions } =
    known ?? (await agent.request<NewSessionResponse>(methods.agent.session.new, place));
  if (request.model !== undefined)
    await chooseModel(agent, { name, sessionId, options: configOptions ?? [], model: request.model });
  heard.begin();
  const text = [request.instructions, request.prompt].filter((part) => part !== undefined).join("\n\n");
  const ended = await agent.request<PromptResponse>(methods.agent.session.prompt, {
    sessionId,
    prompt: [{ type: "text", text }],
  });
  const usage = usageOf(ended);
  if (usage !== undefined) heard.count(usage);
  const isLost = request.session !== undefined && known === undefined;
  return { session: sessionId, stopReason: ended.stopReason, isLost };
}

const serverOf = ({ url, key }: McpServer): McpEntry => ({
  type: "http",
  name: "until-green",
  url,
  headers: [{ name: "Authorization", value: `Bearer ${key}` }],
});

/** Some programs report tokens, which the protocol does not define yet. */
function usageOf(ended: unknown): Usage | undefined {
  const { usage } = reported.safeParse(ended).data ?? {};
  if (usage === undefined) return undefined;
  const { inputTokens, outputTokens, cachedReadTokens } = usage;
  const cache_read = cachedReadTokens ?? 0;
  return { input_tokens: inputTokens + cache_read, output_tokens: outputTokens, cost_usd: 0, cache_read };
}

const reported = z.looseObject({
  usage: z.looseObject({
    inputTokens: z.number(),
    outputTokens: z.number(),
    cachedReadTokens: z.number().nullish(),
  }),
});

interface Continuing {
  readonly can: AgentCapabilities;
  readonly place: { readonly cwd: string; readonly mcpServers: McpEntry[] };
  readonly session: string | undefined;
}

async function continueSession(agent: ClientContext, { can, place, session }: Continuing) {
  if (session === undefined) return undefined;
  const asked = { ...place, sessionId: session };
  const { resume, load } = methods.agent.session;
  try {
    if (can.sessionCapabilities?.resume)
      return { sessionId: session, ...(await agent.request<ResumeSessionResponse>(resume, asked)) };
    if (can.loadSession)
      return { sessionId: session, ...(await agent.request<LoadSessionResponse>(load, asked)) };
  } catch {
    // It no longer knows the conversation.
  }
  return undefined;
}

interface Choosing {
  readonly name: string;
  readonly sessionId: string;
  readonly options: readonly SessionConfigOption[];
  readonly model: string;
}

async function chooseModel(agent: ClientContext, { name, sessionId, options, model }: Choosing) {
  const option = options.find(({ category, type }) => category === "model" && type === "select");
  if (option === undefined) {
    const advice = "remove `model`, and set the model in its own configuration";
    throw new AgentError("missing", `${name} does not let its client choose a model: ${advice}`);
  }
  if (!JSON.stringify(option).includes(JSON.stringify(model)))
    throw new AgentError("missing", `${name} has no model ${model}`);
  await agent.request(methods.agent.session.setConfigOption, {
    sessionId,
    configId: option.id,
    value: model,
  });
}
