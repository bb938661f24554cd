import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { onTestFinished } from "vitest";
import { listen } from "../parts/listen.ts";

/** What an endpoint was asked. */
export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

type Answering = (asked: Asked, response: ServerResponse, request: IncomingMessage) => void | Promise<void>;

/** A model's endpoint on loopback that gives the configured answers, and records its requests. */
export async function openEndpoint(answering: Answering) {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const one = { method: request.method ?? "", url: request.url ?? "", headers: request.headers, body };
    asked.push(one);
    await answering(one, response, request);
  });
  const { url, close } = await listen(server);
  onTestFinished(close);
  return { url, asked };
}

/** Answers everything with this JSON. */
export const saying =
  (
    value: unknown,
    { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
  ) =>
  (_: Asked, response: ServerResponse) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof value === "string" ? value : JSON.stringify(value));
  };

/** Answers everything with these events, and the end of the stream. */
export const streaming =
  (events: readonly unknown[], { ends = "data: [DONE]\n\n" } = {}) =>
  (_: Asked, response: ServerResponse) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`);
    response.end(ends);
  };
