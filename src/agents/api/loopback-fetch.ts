import { type IncomingMessage, request as send } from "node:http";
import { Readable } from "node:stream";

/** A `fetch` for our own key proxy: no system proxy, and no time limit for a model's answer. */
export const loopbackFetch: typeof fetch = async (input, init) => {
  const request = new Request(input, init);
  // Sent in one piece, with its length: some endpoints refuse chunked bodies.
  const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer());
  return new Promise<Response>((resolve, reject) => {
    const outgoing = send(request.url, {
      method: request.method,
      headers: {
        ...Object.fromEntries(request.headers),
        ...(body && { "content-length": String(body.length) }),
      },
      signal: request.signal,
    });
    outgoing.once("error", reject);
    outgoing.once("response", (answer) => resolve(responseOf(answer)));
    outgoing.end(body);
  });
};

function responseOf(answer: IncomingMessage): Response {
  const { statusCode: status = 502, rawHeaders } = answer;
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
  const body = hasBody(status) ? (Readable.toWeb(answer) as ReadableStream<Uint8Array>) : null;
  return new Response(body, { status, headers });
}

const hasBody = (status: number) => status !== 204 && status !== 205 && status !== 304;
