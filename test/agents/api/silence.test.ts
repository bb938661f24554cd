import { expect, test } from "vitest";
import { apiAgent } from "../../../src/agents/api.ts";
import { openEndpoint } from "../../key-proxy/endpoint.ts";
import { agentContext, ask } from "../agent.contract.ts";
import { halfAMessage } from "./message-stream.ts";

test.each([
  ["before its answer", undefined],
  ["before its first word", halfAMessage.slice(0, 1)],
  ["in its answer", halfAMessage],
])(
  "a provider that falls silent %s is a network fault, however short `idle_timeout` is",
  async (_, events) => {
    const { url } = await openEndpoint((_, response) => {
      if (events === undefined) return;
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    });
    const environment = { PATH: process.env["PATH"], ANTHROPIC_API_KEY: "sk-test", ANTHROPIC_BASE_URL: url };
    const agent = apiAgent({ named: "anthropic/x", environment });
    // The first call also loads the SDK.
    await expect(agent.answer(ask({ idleMs: 4_000 }), agentContext())).rejects.toMatchObject({
      fault: "network",
      message: expect.stringContaining(`${new URL(url).host} sent nothing for 4000 ms`),
    });
  },
);
