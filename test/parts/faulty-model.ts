import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { buffer, text } from "node:stream/consumers";
import { listen } from "./listen.ts";

/** The wire protocols of models. */
export type Wire = "messages" | "responses" | "chat" | "gemini";

/** How an endpoint fails a request; `wire` is the protocol of the request. */
export type Fault = (response: ServerResponse, wire: Wire) => void;

/** A proxy for a model server that fails requests when a fault is due. */
export async function openFaultyModel(upstream: string, faultFor: (body: string) => Fault | undefined) {
  const server = createServer((incoming, outgoing) => void pass(incoming, outgoing));
  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    const { method = "GET", headers, url = "/" } = incoming;
    const wire = wireOf(url);
    const fault = method === "POST" && wire !== undefined ? faultFor(body.toString("utf8")) : undefined;
    if (fault !== undefined && wire !== undefined) return fault(outgoing, wire);
    const outgoingRequest = request(new URL(url, upstream), {
      method,
      headers: { ...headers, "content-length": body.length },
    });
    outgoing.on("close", () => outgoingRequest.destroy());
    outgoingRequest.on("error", () => outgoing.destroy());
    outgoingRequest.on("response", (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      if (wire !== "gemini") return void answer.pipe(outgoing);
      // The server behind ends a tool call differently from Gemini.
      text(answer).then(
        (text) => outgoing.end(text.replace('"finishReason":"FUNCTION_CALL"', '"finishReason":"STOP"')),
        () => outgoing.destroy(),
      );
    });
    outgoingRequest.end(body);
  }
  return await listen(server);
}

function wireOf(url: string): Wire | undefined {
  if (/\/messages(\?|$)/.test(url)) return "messages";
  if (/\/responses(\?|$)/.test(url)) return "responses";
  if (/\/chat\/completions(\?|$)/.test(url)) return "chat";
  return /generateContent/i.test(url) ? "gemini" : undefined;
}

/** Refuses with a status and the provider's message. */
export const refuses =
  (status: number, error: object | string, headers: Record<string, string> = {}): Fault =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof error === "string" ? error : JSON.stringify({ type: "error", error }));
  };

/** Answers 200 with this body. */
export const bodyOf =
  (type: string | undefined, body: string | Buffer, headers: Record<string, string> = {}): Fault =>
  (response) => {
    response.writeHead(200, { ...(type && { "content-type": type }), ...headers });
    response.end(body);
  };

/** Drops the connection before any header. */
export const resets: Fault = (response) => void response.socket?.resetAndDestroy();

/** The parts of a streamed response: a tool call, with its arguments as text. */
interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly json: string;
}

interface Answer {
  readonly text?: string;
  readonly calls?: readonly ToolCall[];
  /** The stop reason in this protocol. */
  readonly stop?: Readonly<Record<Wire, string>>;
}

const used = { input: 100, output: 20 };

/** A model's response as events of its protocol; the last one ends it. */
export const eventsOf = (wire: Wire, reply: Answer): readonly object[] =>
  protocols[wire]({ text: "", calls: [], ...reply });

interface Saying extends Answer {
  readonly text: string;
  readonly calls: readonly ToolCall[];
}

const protocols: Readonly<Record<Wire, (reply: Saying) => readonly object[]>> = {
  messages: ({ text: content, calls, stop }) => [
    {
      type: "message_start",
      message: {
        ...{ id: "m1", type: "message", role: "assistant", model: "m", content: [], stop_reason: null },
        usage: { input_tokens: used.input, output_tokens: 1 },
      },
    },
    ...(content === "" ? [] : block(0, { type: "text", text: "" }, { type: "text_delta", text: content })),
    ...calls.flatMap(({ id, name, json }, at) =>
      block(
        at + 1,
        { type: "tool_use", id, name, input: {} },
        { type: "input_json_delta", partial_json: json },
      ),
    ),
    {
      type: "message_delta",
      delta: {
        stop_reason: stop?.messages ?? (calls.length === 0 ? "end_turn" : "tool_use"),
        stop_sequence: null,
      },
      usage: { output_tokens: used.output },
    },
    { type: "message_stop" },
  ],
  responses({ text: content, calls, stop }) {
    const reason = stop?.responses;
    const message = {
      ...{ type: "message", id: "m1", status: "completed", role: "assistant" },
      content: [{ type: "output_text", text: content, annotations: [] }],
    };
    const output = [
      ...(content === "" ? [] : [message]),
      ...calls.map(({ id, name, json }, at) => ({
        ...{ type: "function_call", id: `fc${at}`, call_id: id, name, arguments: json },
        status: "completed",
      })),
    ];
    const response = { id: "r1", object: "response", created_at: 1, model: "m", output: [] };
    const usage = { input_tokens: used.input, output_tokens: used.output, total_tokens: 120 };
    const status = reason === undefined ? "completed" : "incomplete";
    const why = reason === undefined ? {} : { incomplete_details: { reason } };
    return [
      { type: "response.created", response: { ...response, status: "in_progress" } },
      ...output.flatMap((item, output_index) => itemEvents(item, output_index, content)),
      { type: `response.${status}`, response: { ...response, status, ...why, output, usage } },
    ];
  },
  chat({ text: content, calls, stop }) {
    const chunk = (delta: object, finish_reason: string | null = null) => ({
      ...{ id: "c1", object: "chat.completion.chunk", created: 1, model: "m" },
      choices: [{ index: 0, delta, finish_reason }],
    });
    const tool_calls = calls.map(({ id, name, json }, index) => ({
      ...{ index, id, type: "function", function: { name, arguments: json } },
    }));
    return [
      chunk({ role: "assistant", content }),
      ...(calls.length === 0 ? [] : [chunk({ tool_calls })]),
      {
        ...chunk({}, stop?.chat ?? (calls.length === 0 ? "stop" : "tool_calls")),
        usage: { prompt_tokens: used.input, completion_tokens: used.output, total_tokens: 120 },
      },
    ];
  },
  gemini({ text: words, calls, stop }) {
    const parts = [
      ...(words === "" ? [] : [{ text: words }]),
      ...calls.map(({ name, json }) => ({ functionCall: { name, args: parsedOr(json) } })),
    ];
    const usageMetadata = { promptTokenCount: used.input, candidatesTokenCount: used.output };
    const content = { role: "model", parts };
    return [{ candidates: [{ content, index: 0, finishReason: stop?.gemini ?? "STOP" }], usageMetadata }];
  },
};

function itemEvents(item: { readonly type: string }, output_index: number, delta: string) {
  const isText = item.type === "message";
  const at = { item_id: "m1", output_index, content_index: 0 };
  return [
    {
      type: "response.output_item.added",
      output_index,
      item: isText ? { ...item, content: [] } : { ...item, arguments: "" },
    },
    ...(isText ? [{ type: "response.output_text.delta", ...at, delta }] : []),
    { type: "response.output_item.done", output_index, item },
  ];
}

const block = (index: number, content_block: object, delta: object) => [
  { type: "content_block_start", index, content_block },
  { type: "content_block_delta", index, delta },
  { type: "content_block_stop", index },
];

function parsedOr(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

/** Starts a response, and writes its events. */
export function writeEvents(response: ServerResponse, wire: Wire, events: readonly object[]): void {
  if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of events) {
    const type = wire === "messages" || wire === "responses" ? (event as { type?: string }).type : undefined;
    response.write(`${type === undefined ? "" : `event: ${type}\n`}data: ${JSON.stringify(event)}\n\n`);
  }
}

/** Answers like a model. */
export const says =
  (reply: Answer): Fault =>
  (response, wire) => {
    writeEvents(response, wire, eventsOf(wire, reply));
    response.end(wire === "chat" ? "data: [DONE]\n\n" : "");
  };
