import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { buffer, text } from "node:stream/consumers";
import { listen } from "./listen.ts";

/**
 * What the server behind returns for a response that is to be damaged on its way. Kimi Code keeps the first as the
 * model's text.
 */
export const spoiltAnswers = { cut: "in vain", trickles: "drips" } as const;

/**
 * A proxy for a model server without tool namespaces: translates a call of `space::tool` to `tool` of `space`, as in
 * OpenAI's responses, and ends truncated responses in the same way. Damages responses as requested. Everything else
 * passes unchanged.
 */
export async function openModelFront(upstream: string): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((incoming, outgoing) => void pass({ incoming, outgoing, upstream }));
  return await listen(server);
}

interface Passing {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly upstream: string;
}

async function pass({ incoming, outgoing, upstream }: Passing): Promise<void> {
  const body = await buffer(incoming);
  const { method = "GET", headers, url = "/" } = incoming;
  const outgoingRequest = request(new URL(url, upstream), {
    method,
    headers: { ...headers, "content-length": body.length },
  });
  outgoing.on("close", () => outgoingRequest.destroy());
  outgoingRequest.on("error", () => outgoing.destroy());
  outgoingRequest.on("response", (answer) => {
    outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
    if (!/::|cutShort|cutCall|trickles/.test(body.toString())) return void answer.pipe(outgoing);
    text(answer).then(
      (text) => {
        const named = text.replace(/"name":"(\w+)::(\w+)"/g, '"name":"$2","namespace":"$1"');
        if (hasString(named, spoiltAnswers.trickles)) trickle(outgoing);
        else if (hasString(named, spoiltAnswers.cut) && isCall.test(named))
          outgoing.write(halfOf(named), () => outgoing.socket?.destroySoon());
        else outgoing.end(cutShort(named));
      },
      () => outgoing.destroy(),
    );
  });
  outgoingRequest.end(body);
}

/** The server behind puts in a field what OpenAI expresses by the type of the event. */
const cutShort = (body: string): string =>
  body.includes('"type":"response.completed"') && body.includes('"status":"incomplete"')
    ? body
        .replaceAll("response.completed", "response.incomplete")
        .replaceAll(
          '"status":"incomplete"',
          '"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}',
        )
    : body;

const hasString = (body: string, text: string) => body.includes(`"${text}"`);

/** A chunk of a call's arguments; Gemini sends them in one piece. */
const isCall = /"partial_json":|function_call_arguments\.delta|"tool_calls":|"functionCall":/;

/** Up to the middle of the call's arguments: between two events, or within a single one. */
function halfOf(body: string): string {
  const events = body.split(/(?<=\n\n)/);
  const pieces = events.flatMap((event, at) => (isCall.test(event) ? [at] : []));
  const middle = pieces[Math.floor(pieces.length / 2)] ?? 0;
  const part = events[middle] ?? "";
  return events.slice(0, middle).join("") + (pieces.length === 1 ? part.slice(0, part.length / 2) : "");
}

function trickle(outgoing: ServerResponse): void {
  outgoing.write("data: {");
  const timer = setInterval(() => outgoing.write(" "), 250);
  outgoing.on("close", () => clearInterval(timer));
}
