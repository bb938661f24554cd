import { describe, expect, test } from "vitest";
import type { KeyLease } from "../../src/key-proxy/lease.ts";
import type { Spending, Usage } from "../../src/ports/agent.ts";
import { openEndpoint, saying, streaming } from "./endpoint.ts";
import { asked, openLease, post } from "./lease.ts";

describe("the budget", () => {
  /** Two requests fit, and the third is refused. */
  const spendingFor = (sent: (Usage | undefined)[]): Spending => ({
    admit: async () => ({
      refused: sent.length < 2 ? undefined : "the budget is used up",
      settle: (used) => void sent.push(used),
    }),
  });

  test("refuses the next request once it is used up, sends nothing on, and says why", async () => {
    const sent: (Usage | undefined)[] = [];
    const { url, asked: seen } = await openEndpoint(
      saying({ model: "m", usage: { input_tokens: 100, output_tokens: 20 } }),
    );
    const lease = await openLease(url, {
      spending: spendingFor(sent),
      price: (_, used) => used.input_tokens / 100,
    });
    const answers = [await asked(lease), await asked(lease), await asked(lease)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 402]);
    expect(answers[2]?.text).toContain("the budget is used up");
    expect(seen).toHaveLength(2);
    expect(lease.fault()).toMatchObject({ fault: "timeout", message: "the budget is used up" });
    expect(sent).toEqual([took, took]);
    expect(lease.usage()).toEqual({ input_tokens: 200, output_tokens: 40, cost_usd: 2 });
  });

  const took = { input_tokens: 100, output_tokens: 20, cost_usd: 1 };

  test("is asked with what a request is expected to cost, by its length", async () => {
    const expected: unknown[] = [];
    const { url } = await openEndpoint(saying({}));
    const spending: Spending = {
      admit: async (one) => {
        expected.push(one);
        return { refused: undefined, settle: () => undefined };
      },
    };
    const lease = await openLease(url, {
      spending,
      price: (_, used) => used.input_tokens + used.output_tokens,
    });
    const headers = { "x-api-key": lease.key };
    await fetch(`${lease.baseUrl}/v1/messages`, { method: "POST", headers, body: "x".repeat(4_001) });
    await fetch(`${lease.baseUrl}/v1/models`, { headers });
    expect(expected).toEqual([{ input_tokens: 1_001, cost_usd: 1_001 }]);
  });

  test.each([
    ["a stream of Anthropic", streaming([{ message: { model: "m-1", usage: { input_tokens: 8 } } }])],
    ["a response of OpenAI", streaming([{ response: { model: "m-1", usage: { input_tokens: 8 } } }])],
    ["JSON", saying({ model: "m-1", usage: { input_tokens: 8 } })],
    ["Gemini", saying({ modelVersion: "m-1", usageMetadata: { promptTokenCount: 8 } })],
  ])("pays the price of the model that %s names", async (_, answering) => {
    const { url } = await openEndpoint(answering);
    const lease = await openLease(url, {
      price: (model, used) => (model === "m-1" ? used.input_tokens / 4 : 99),
    });
    await asked(lease);
    expect(lease.usage()).toMatchObject({ input_tokens: 8, cost_usd: 2 });
  });

  test("pays what the endpoint says a request cost, whatever its price list says", async () => {
    const usage = { prompt_tokens: 3, completion_tokens: 4, cost: 0.25 };
    const { url } = await openEndpoint(saying({ model: "m", usage }));
    const lease = await openLease(url, { price: () => 7 });
    await asked(lease);
    expect(lease.usage()).toEqual({ input_tokens: 3, output_tokens: 4, cost_usd: 0.25 });
  });

  test.each([Number.NaN, -5, "12", null])("counts a number of tokens that is %s as none", async (tokens) => {
    const { url } = await openEndpoint(saying({ usage: { input_tokens: tokens, output_tokens: 2 } }));
    const lease = await openLease(url);
    await asked(lease);
    expect(lease.usage()).toEqual({ input_tokens: 0, output_tokens: 2, cost_usd: 0 });
  });

  describe("counts by length", () => {
    const body = "x".repeat(400);
    const delta = `data: ${JSON.stringify({ choices: [{ delta: { content: "y".repeat(80) } }] })}\n\n`;
    const ask = (
      lease: KeyLease,
      { body: sent = body, signal }: { body?: string | ReadableStream; signal?: AbortSignal } = {},
    ) =>
      fetch(`${lease.baseUrl}/v1/messages`, {
        method: "POST",
        headers: { "x-api-key": lease.key },
        body: sent,
        duplex: "half",
        ...(signal && { signal }),
      } as RequestInit);
    const paid = (output: number) => ({
      input_tokens: 100,
      output_tokens: Math.ceil(output / 4),
      cost_usd: 100 + Math.ceil(output / 4),
    });
    const price = (_: string | undefined, used: Usage) => used.input_tokens + used.output_tokens;
    /** A lease, and a promise of what its one request was settled with. */
    const openPaid = async (url: string) => {
      const { promise: settled, resolve } = Promise.withResolvers<Usage | undefined>();
      const spending: Spending = { admit: async () => ({ refused: undefined, settle: resolve }) };
      return { lease: await openLease(url, { spending, price }), settled };
    };

    test("a whole answer that reports no usage", async () => {
      const { url } = await openEndpoint((_, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.end(`${delta}data: [DONE]\n\n`);
      });
      const { lease, settled } = await openPaid(url);
      const { length } = await (await ask(lease)).text();
      expect(lease.usage()).toEqual(paid(length));
      expect(await settled).toEqual(paid(length));
    });

    test("a request that comes in chunks", async () => {
      const { url } = await openEndpoint(saying({ choices: [] }));
      const { lease } = await openPaid(url);
      await (await ask(lease, { body: new Blob([body]).stream() })).text();
      expect(lease.usage()).toEqual(paid('{"choices":[]}'.length));
    });

    test.each([
      ["before it reports its usage", "", 100],
      ["after it has reported only its input", `data: {"usage":{"input_tokens":7,"output_tokens":1}}\n\n`, 7],
    ])("an answer that the agent no longer reads %s", async (_, start, input_tokens) => {
      const { url } = await openEndpoint((_, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(start + delta);
      });
      const { lease, settled } = await openPaid(url);
      const gone = new AbortController();
      const answer = await ask(lease, { signal: gone.signal });
      await answer.body?.getReader().read();
      gone.abort();
      const output_tokens = Math.ceil((start + delta).length / 4);
      expect(await settled).toEqual({ input_tokens, output_tokens, cost_usd: input_tokens + output_tokens });
    });

    test("a request whose agent does not wait for the answer, also if its lease ends first", async () => {
      const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
      const { url } = await openEndpoint(() => arrive());
      const { lease } = await openPaid(url);
      const answer = ask(lease).catch(() => undefined);
      await arrived;
      lease.end();
      expect(lease.usage()).toEqual(paid(0));
      await answer;
    });

    test.each([
      ["is refused", "/v1/messages", saying({ error: { type: "overloaded_error" } }, { status: 529 })],
      ["only counts tokens", "/v1/messages/count_tokens", saying({ input_tokens: 9 })],
    ])("no request that %s", async (_, path, answering) => {
      const { url } = await openEndpoint(answering);
      const { lease, settled } = await openPaid(url);
      await asked(lease, path);
      expect([await settled, lease.usage()]).toEqual([undefined, undefined]);
    });
  });

  test("takes each request as over once, also one that is cut off", async () => {
    const settled: (Usage | undefined)[] = [];
    const { url } = await openEndpoint((_, response) => void response.destroy());
    const spending: Spending = {
      admit: async () => ({ refused: undefined, settle: (used) => void settled.push(used) }),
    };
    const lease = await openLease(url, { spending });
    expect((await asked(lease)).status).toBe(502);
    expect(settled).toEqual([undefined]);
  });
});

test("an endpoint that falls silent counts as lost after a while, before its answer and in it", async () => {
  let times = 0;
  const { url } = await openEndpoint((_, response) => {
    times += 1;
    if (times === 1) return;
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("data: {}\n\n");
  });
  const lease = await openLease(url, { silenceMs: 400 });
  expect(await asked(lease)).toMatchObject({ status: 502 });
  expect(lease.fault()).toMatchObject({
    fault: "network",
    message: expect.stringContaining("sent nothing for"),
  });
  const failures: number[] = [];
  lease.onTrouble((_, inARow) => failures.push(inARow));
  await expect(asked(lease)).rejects.toThrow();
  expect(lease.fault()).toMatchObject({ fault: "network" });
  expect(failures).toEqual([2]);
});

test.each([
  ["a byte at a time", ":"],
  ["keep-alives", 'event: ping\ndata: {"type": "ping"}\n\n'],
])("an answer of nothing but %s counts as lost after a while", async (_, drop) => {
  const { url } = await openEndpoint((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const drip = setInterval(() => response.write(drop), 20);
    response.on("close", () => clearInterval(drip));
  });
  // On a busy machine, a drop can be late by a quarter of a second, which would count as silence.
  const lease = await openLease(url, { silenceMs: 400 });
  await expect(asked(lease)).rejects.toThrow();
  expect(lease.fault()).toMatchObject({
    fault: "network",
    message: expect.stringContaining("for 2.4 s it sent nothing but signs of life"),
  });
});

const paths = {
  anthropic: "/v1/messages",
  openai: "/chat/completions",
  gemini: "/v1beta/models/m:streamGenerateContent",
} as const;

test.each([
  ["anthropic", { type: "message_delta", delta: { stop_reason: "max_tokens" }, usage: { output_tokens: 1 } }],
  ["openai", { choices: [{ delta: {}, finish_reason: "length" }] }],
  [
    "openai",
    {
      type: "response.incomplete",
      response: { usage: {}, incomplete_details: { reason: "max_output_tokens" } },
    },
  ],
  ["gemini", { candidates: [{ finishReason: "MAX_TOKENS" }], usageMetadata: {} }],
] as const)("it is seen when an answer of %s was cut short", async (wire, event) => {
  const { url } = await openEndpoint(streaming([event]));
  const lease = await openLease(wire === "openai" ? `${url}/v1` : url, { wire });
  await post(lease, paths[wire], { authorization: `Bearer ${lease.key}` }).then((response) =>
    response.text(),
  );
  expect(lease.isCutShort()).toBe(true);
});

test.each([
  [
    "anthropic",
    {
      usage: {
        input_tokens: 10,
        cache_read_input_tokens: 90,
        cache_creation_input_tokens: 5,
        output_tokens: 1,
      },
    },
    { input_tokens: 105, cache_read: 90, cache_write: 5 },
  ],
  [
    "chat",
    { usage: { prompt_tokens: 100, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 90 } } },
    { input_tokens: 100, cache_read: 90 },
  ],
  [
    "responses",
    { usage: { input_tokens: 100, output_tokens: 1, input_tokens_details: { cached_tokens: 90 } } },
    { input_tokens: 100, cache_read: 90 },
  ],
  [
    "gemini",
    { usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 1, cachedContentTokenCount: 90 } },
    { input_tokens: 100, cache_read: 90 },
  ],
])("cached input is counted separately, as %s reports it", async (_, body, usage) => {
  const { url } = await openEndpoint(saying(body));
  const lease = await openLease(url);
  await asked(lease);
  expect(lease.usage()).toEqual({ ...usage, output_tokens: 1, cost_usd: 0 });
});
