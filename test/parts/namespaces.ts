import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer, text } from "node:stream/consumers";

/**
 * Stands before a model server that knows no namespaces of tools: a tool it calls as `space::tool` is called as `tool`
 * of `space`, as OpenAI's responses have it, and an answer that may not be longer ends as they say it. Everything else
 * passes as it is.
 */
export async function openNamespaces(upstream: string): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((incoming, outgoing) => void pass({ incoming, outgoing, upstream }));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Passing {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly upstream: string;
}

async function pass({ incoming, outgoing, upstream }: Passing): Promise<void> {
  const body = await buffer(incoming);
  const { method = "GET", headers, url = "/" } = incoming;
  const asked = request(new URL(url, upstream), {
    method,
    headers: { ...headers, "content-length": body.length },
  });
  outgoing.on("close", () => asked.destroy());
  asked.on("error", () => outgoing.destroy());
  asked.on("response", (answer) => {
    outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
    if (!body.includes("::") && !body.includes("cutShort")) return void answer.pipe(outgoing);
    text(answer).then(
      (said) =>
        outgoing.end(cutShort(said.replace(/"name":"(\w+)::(\w+)"/g, '"name":"$2","namespace":"$1"'))),
      () => outgoing.destroy(),
    );
  });
  asked.end(body);
}

/** The server behind says in a field only what OpenAI says by the type of the event, and why. */
const cutShort = (said: string): string =>
  said.includes('"type":"response.completed"') && said.includes('"status":"incomplete"')
    ? said
        .replaceAll("response.completed", "response.incomplete")
        .replaceAll(
          '"status":"incomplete"',
          '"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}',
        )
    : said;
