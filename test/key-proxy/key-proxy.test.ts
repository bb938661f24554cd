import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { openEndpoint, saying, streaming } from "./endpoint.ts";
import { asked, headerOf, openLease, post, realKey } from "./lease.ts";

describe("the key", () => {
  test.each([
    ["anthropic", "/v1/messages", (key: string) => ({ "x-api-key": key })],
    ["anthropic", "/v1/messages", (key: string) => ({ authorization: `Bearer ${key}` })],
    ["openai", "/chat/completions", (key: string) => ({ authorization: `Bearer ${key}` })],
    ["gemini", "/v1beta/models/m:generateContent", (key: string) => ({ "x-goog-api-key": key })],
  ] as const)("goes to the %s endpoint instead of the leased one", async (wire, path, headers) => {
    const { url, asked } = await openEndpoint(saying({ ok: true }));
    const lease = await openLease(wire === "openai" ? `${url}/v1` : url, { wire });
    const response = await post(lease, path, headers(lease.key));
    expect(await response.json()).toEqual({ ok: true });
    const [one] = asked;
    expect(one?.url).toBe(wire === "openai" ? `/v1${path}` : path);
    expect(one?.headers[headerOf[wire]]).toBe(wire === "openai" ? `Bearer ${realKey}` : realKey);
    expect(JSON.stringify(one)).not.toContain(lease.key);
    expect(one?.body).toBe('{"q":1}');
  });

  test("may come in the address, and is not forwarded there", async () => {
    const { url, asked } = await openEndpoint(saying({}));
    const lease = await openLease(url, { wire: "gemini" });
    await fetch(`${lease.baseUrl}/v1beta/models?alt=sse&key=${lease.key}`);
    expect(asked[0]?.url).toBe("/v1beta/models?alt=sse");
    expect(asked[0]?.headers["x-goog-api-key"]).toBe(realKey);
  });

  test.each([
    ["none", {}],
    ["a made up one", { "x-api-key": "until-green-00" }],
  ])("refuses %s, and passes nothing on", async (_, headers) => {
    const { url, asked } = await openEndpoint(saying({}));
    const lease = await openLease(url);
    const answer = await post(lease, "/v1/messages", headers);
    expect(answer.status).toBe(401);
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(answer.headers.get("connection")).toBe("close");
    expect(await answer.json()).toMatchObject({
      error: {
        type: "authentication_error",
        message: expect.stringContaining("valid only during the agent's call"),
      },
    });
    expect(asked).toEqual([]);
  });

  test("is forgotten when the lease ends, by itself or by its signal", async () => {
    const { url, asked } = await openEndpoint(saying({}));
    const stop = new AbortController();
    const [one, other] = [await openLease(url), await openLease(url, { signal: stop.signal })];
    one.end();
    stop.abort();
    expect((await post(one, "/v1/messages")).status).toBe(401);
    expect((await post(other, "/v1/messages")).status).toBe(401);
    expect(asked).toEqual([]);
  });

  test("each lease has its own, and is counted separately", async () => {
    const { url } = await openEndpoint(saying({ usage: { input_tokens: 3, output_tokens: 4 } }));
    const [one, other] = [await openLease(url), await openLease(url)];
    await asked(one);
    expect(one.key).not.toBe(other.key);
    expect(one.usage()).toEqual({ input_tokens: 3, output_tokens: 4, cost_usd: 0 });
    expect(other.usage()).toBeUndefined();
  });
});

describe("where it goes", () => {
  test.each([
    "//evil.example/v1/messages",
    "http://evil.example/v1/messages",
    "/v1/..%2f..%2fadmin",
    "/%2e%2e/admin",
    // Servers that decode twice, or cut off what follows a semicolon, step up.
    "/v1/models/%252e%252e%252ffiles",
    "/v1/models/..;",
    "/a//b",
  ])("refuses %s", async (path) => {
    const { url, asked } = await openEndpoint(saying({}));
    const lease = await openLease(`${url}/base`);
    const { port } = new URL(lease.baseUrl);
    const socket = connect(Number(port), "127.0.0.1");
    socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nx-api-key: ${lease.key}\r\nconnection: close\r\n\r\n`);
    const [answer] = await once(socket, "data");
    expect(String(answer)).toMatch(/^HTTP\/1.1 404/);
    expect(asked).toEqual([]);
  });

  test("stays below the base, whatever steps up a path takes", async () => {
    const { url, asked } = await openEndpoint(saying({}));
    const lease = await openLease(`${url}/base/`);
    const socket = connect(Number(new URL(lease.baseUrl).port), "127.0.0.1");
    socket.write(
      `GET /v1/../../../v1/models HTTP/1.1\r\nhost: x\r\nx-api-key: ${lease.key}\r\nconnection: close\r\n\r\n`,
    );
    await once(socket, "data");
    expect(asked.map(({ url }) => url)).toEqual(["/base/v1/models"]);
  });

  test("follows no redirect and sends the agent to none", async () => {
    const elsewhere = await openEndpoint(saying({}));
    const { url } = await openEndpoint(saying("", { status: 307, headers: { location: elsewhere.url } }));
    const lease = await openLease(url);
    expect((await asked(lease)).status).toBe(400);
    expect(elsewhere.asked).toEqual([]);
    expect(lease.fault()).toMatchObject({ fault: "refused", message: expect.stringContaining("307") });
  });

  test.each([
    ["http://models.example", "https"],
    ["https://me:pw@models.example", "without a login"],
    ["https://me@models.example", "without a login"],
    ["https://:pw@models.example", "without a login"],
    ["https://models.example?key=1", "without a login or a query"],
    ["https://models.example#v1", "must be host and path only"],
    ["models.example", "not a URL"],
  ])("refuses %s as an endpoint", async (upstream, why) => {
    await expect(openLease(upstream)).rejects.toThrow(why);
  });
});

describe("what passes", () => {
  test("is streamed, not sent at the end", async () => {
    const { promise: goOn, resolve } = Promise.withResolvers<void>();
    const { url } = await openEndpoint(async (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: one\n\n");
      await goOn;
      response.end("data: two\n\n");
    });
    const lease = await openLease(url);
    let rings = 0;
    lease.onBytes(() => rings++);
    const response = await post(lease, "/v1/messages");
    const reader = response.body?.getReader();
    const first = await reader?.read();
    expect(new TextDecoder().decode(first?.value)).toBe("data: one\n\n");
    expect(rings).toBeGreaterThan(1);
    resolve();
    const second = await reader?.read();
    expect(new TextDecoder().decode(second?.value)).toBe("data: two\n\n");
  });

  test("is counted at the end of a body of 64 MB", async () => {
    const chunk = Buffer.alloc(64 * 1024, "x");
    const { url } = await openEndpoint(async (_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      for (let count = 0; count < 1024; count += 1) if (!response.write(chunk)) await once(response, "drain");
      response.end('","usage":{"input_tokens":1,"output_tokens":2}}');
    });
    const lease = await openLease(url);
    const response = await post(lease, "/v1/messages");
    let bytes = 0;
    for await (const part of response.body ?? []) bytes += part.length;
    expect(bytes).toBeGreaterThan(64 * 1024 * 1024);
    expect(lease.usage()).toMatchObject({ input_tokens: 1, output_tokens: 2 });
  });

  test("an agent that goes away ends the request at the endpoint", async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const { url } = await openEndpoint((_, response) => {
      response.once("close", resolve);
      response.writeHead(200).flushHeaders();
    });
    const lease = await openLease(url);
    const stop = new AbortController();
    await fetch(`${lease.baseUrl}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": lease.key },
      signal: stop.signal,
    });
    stop.abort();
    await expect(closed).resolves.toBeUndefined();
  });

  test("an endpoint that refuses a large request before it has read it still gets its answer through", async () => {
    const early = createServer((request, response) => {
      response.writeHead(413, { "content-type": "application/json" });
      response.end('{"error":{"type":"request_too_large"}}');
      request.resume();
    }).listen(0, "127.0.0.1");
    await once(early, "listening");
    onTestFinished(() => void early.close());
    const lease = await openLease(`http://127.0.0.1:${(early.address() as { port: number }).port}`);
    const body = "x".repeat(20_000_000);
    const sent = fetch(`${lease.baseUrl}/v1/messages`, {
      method: "POST",
      body,
      headers: { "x-api-key": lease.key },
    });
    await sent.then((response) => response.text()).catch(() => undefined);
    expect(lease.fault()).toMatchObject({ fault: "context" });
  });

  test("a request of 20 MB reaches the endpoint whole", async () => {
    const { url, asked } = await openEndpoint(saying({}));
    const lease = await openLease(url);
    const body = "größe ".repeat(2_500_000);
    await fetch(`${lease.baseUrl}/v1/messages`, {
      method: "POST",
      body,
      headers: { "x-api-key": lease.key },
    });
    expect(asked[0]?.body === body).toBe(true);
  });

  test("the end of a lease cuts requests in flight", async () => {
    const { url } = await openEndpoint((_, response) => response.writeHead(200).flushHeaders());
    const lease = await openLease(url);
    const response = await post(lease, "/v1/messages");
    lease.end();
    await expect(response.text()).rejects.toThrow();
  });

  test("a packed answer is unpacked and counted", async () => {
    const packed = gzipSync(JSON.stringify({ usage: { input_tokens: 5, output_tokens: 6 } }));
    const { url, asked: seen } = await openEndpoint((_, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
      response.end(packed);
    });
    const lease = await openLease(url);
    expect((await asked(lease)).text).toContain("usage");
    expect(lease.usage()).toMatchObject({ input_tokens: 5 });
    expect(seen[0]?.headers["accept-encoding"]).toBe("identity");
  });
});

describe("usage", () => {
  const used = { input_tokens: 12, output_tokens: 7, cost_usd: 0 };
  test.each([
    [
      "Anthropic's JSON",
      saying({ usage: { input_tokens: 12, cache_read_input_tokens: 0, output_tokens: 7 } }),
    ],
    [
      "Anthropic's stream",
      streaming([
        { type: "message_start", message: { usage: { input_tokens: 12, output_tokens: 1 } } },
        { type: "content_block_delta", delta: { text: 'says "usage": {"output_tokens": 99}' } },
        { type: "message_delta", usage: { output_tokens: 7 } },
      ]),
    ],
    ["OpenAI's chat", saying({ usage: { prompt_tokens: 12, completion_tokens: 7 } })],
    [
      "OpenAI's chat stream",
      streaming([
        { choices: [{ delta: { content: "hi" } }], usage: null },
        { choices: [], usage: { prompt_tokens: 12, completion_tokens: 7 } },
      ]),
    ],
    ["OpenAI's responses", saying({ usage: { input_tokens: 12, output_tokens: 7 } })],
    [
      "OpenAI's responses stream",
      streaming([
        { type: "response.created", response: { usage: null } },
        { type: "response.completed", response: { usage: { input_tokens: 12, output_tokens: 7 } } },
      ]),
    ],
    [
      "Gemini's stream",
      streaming([
        { usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 1 } },
        { usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 4, thoughtsTokenCount: 3 } },
      ]),
    ],
    [
      "Gemini's list",
      saying([{ a: 1 }, { usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 7 } }]),
    ],
  ])("is read from %s", async (_, answering) => {
    const lease = await openLease((await openEndpoint(answering)).url);
    await asked(lease);
    expect(lease.usage()).toEqual(used);
    await asked(lease);
    expect(lease.usage()).toEqual({ input_tokens: 24, output_tokens: 14, cost_usd: 0 });
  });
});

describe("errors", () => {
  const error = (type: string, message = "") => ({ type: "error", error: { type, message } });
  test.each([
    [401, error("authentication_error", "invalid x-api-key"), "auth"],
    [403, error("permission_error"), "auth"],
    [402, {}, "credit"],
    [400, error("invalid_request_error", "Your credit balance is too low"), "credit"],
    [429, { error: { code: "insufficient_quota", message: "You exceeded your current quota" } }, "credit"],
    [429, error("rate_limit_error"), "rate-limit"],
    [503, {}, "overloaded"],
    [529, error("overloaded_error"), "overloaded"],
    [500, error("api_error", "oops"), "network"],
    [502, "<html>bad gateway</html>", "network"],
    [400, error("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"), "context"],
    [400, { error: { code: "context_length_exceeded" } }, "context"],
    [400, { error: { code: 400, status: "INVALID_ARGUMENT", message: "API key not valid." } }, "auth"],
    [404, error("not_found_error", "model: nonesuch"), "refused"],
  ])("a %i with %j is of the class %s", async (status, body, fault) => {
    const lease = await openLease((await openEndpoint(saying(body, { status }))).url);
    expect((await asked(lease)).status).toBe(status);
    expect(lease.fault()).toMatchObject({ fault });
  });

  test("an authentication problem names the secret", async () => {
    const { url } = await openEndpoint(saying(error("authentication_error"), { status: 401 }));
    const lease = await openLease(url);
    await asked(lease);
    expect(lease.fault()?.message).toContain("the secret ANTHROPIC_API_KEY");
  });

  test.each([
    [{ "retry-after": "7" }, {}, 7000],
    [{ "retry-after-ms": "250" }, {}, 250],
    [{}, { error: { status: "RESOURCE_EXHAUSTED", details: [{ retryDelay: "34s" }] } }, 34_000],
    [{}, { error: { message: "Please try again in 6.2s." } }, 6200],
  ])("the advised wait is read from %j %j", async (headers, body, retryAfterMs) => {
    const lease = await openLease((await openEndpoint(saying(body, { status: 429, headers }))).url);
    await asked(lease);
    expect(lease.fault()).toMatchObject({ fault: "rate-limit", retryAfterMs });
  });

  test("a stream that ends in an error has its class", async () => {
    const events = [{ type: "message_start" }, error("overloaded_error", "Overloaded")];
    const lease = await openLease((await openEndpoint(streaming(events))).url);
    await asked(lease);
    expect(lease.fault()).toMatchObject({ fault: "overloaded" });
  });

  test("a missing endpoint is a network error", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    await new Promise((resolve) => server.close(resolve));
    const lease = await openLease(`http://127.0.0.1:${port}`);
    expect((await asked(lease)).status).toBe(502);
    expect(lease.fault()).toMatchObject({
      fault: "network",
      message: expect.stringContaining("ECONNREFUSED"),
    });
  });

  test("an endpoint that breaks its answer off is one too", async () => {
    const { url } = await openEndpoint((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream", "content-length": "1000" });
      response.write("data: half\n\n", () => response.destroy());
    });
    const lease = await openLease(url);
    await expect(post(lease, "/v1/messages").then((response) => response.text())).rejects.toThrow();
    expect(lease.fault()).toMatchObject({ fault: "network" });
  });

  test("each is reported as it arrives, with the count since the last success", async () => {
    const statuses = [529, 529, 200, 429];
    let at = 0;
    const { url } = await openEndpoint((one, response) =>
      saying({}, { status: statuses[at++] ?? 200 })(one, response),
    );
    const lease = await openLease(url);
    const usages: unknown[] = [];
    lease.onTrouble(({ fault }, inARow) => usages.push([fault, inARow]));
    for (const _ of statuses) await asked(lease);
    expect(usages).toEqual([
      ["overloaded", 1],
      ["overloaded", 2],
      ["rate-limit", 1],
    ]);
  });

  test("what goes well afterwards lifts it", async () => {
    let times = 0;
    const { url } = await openEndpoint((one, response) =>
      saying({}, { status: times++ === 0 ? 529 : 200 })(one, response),
    );
    const lease = await openLease(url);
    await asked(lease);
    expect(lease.fault()?.fault).toBe("overloaded");
    await asked(lease);
    expect(lease.fault()).toBeUndefined();
  });
});
