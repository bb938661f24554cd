import type { ServerResponse } from "node:http";

export interface Message {
  /** What it says where it calls no tool. */
  readonly text: string;
  readonly call?: { readonly id: string; readonly name: string; readonly input: object } | undefined;
  readonly usage: Readonly<Record<string, number>> & { readonly output_tokens: number };
}

/** A message as Anthropic's API streams it. */
export function messageEvents({ text, call, usage }: Message) {
  const message = { id: "m", type: "message", role: "assistant", model: "m", content: [] };
  const [start, delta] =
    call === undefined
      ? [
          { type: "text", text: "" },
          { type: "text_delta", text },
        ]
      : [
          { type: "tool_use", id: call.id, name: call.name, input: {} },
          { type: "input_json_delta", partial_json: JSON.stringify(call.input) },
        ];
  return [
    { type: "message_start", message: { ...message, usage: { ...usage, output_tokens: 0 } } },
    { type: "content_block_start", index: 0, content_block: start },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: call === undefined ? "end_turn" : "tool_use" },
      usage: { output_tokens: usage.output_tokens },
    },
    { type: "message_stop" },
  ];
}

/** Answers with these events, and leaves the stream open. */
export function sendEvents(response: ServerResponse, events: readonly { readonly type: string }[]): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

/** Answers with this message. */
export function streamMessage(response: ServerResponse, message: Message): void {
  sendEvents(response, messageEvents(message));
  response.end();
}

const usage = { input_tokens: 1, output_tokens: 0 };
const message = { id: "m", type: "message", role: "assistant", model: "x", content: [], usage };

/** The first events of an answer of Anthropic's. */
export const halfAMessage = [
  { type: "message_start", message },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "half of it" } },
];
