import { createServer } from "node:http";
import { Agent, get } from "node:https";
import { gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { refusalOf, unreachable } from "../../src/key-proxy/answer-trouble.ts";
import { listen } from "../parts/listen.ts";
import { openEndpoint, saying, streaming } from "./endpoint.ts";
import { asked, openLease, post } from "./lease.ts";

const answerText = async (url: string) => {
  const lease = await openLease(url);
  const text = await post(lease, "/v1/messages").then((response) => response.text());
  return { lease, text };
};

describe("a stream that ends in good order before the answer does", () => {
  const start = { type: "message_start", message: { model: "m", usage: { input_tokens: 7 } } };

  test.each([
    ["anthropic", [start, { type: "content_block_delta", delta: { text: 'half "stop_reason":"end_turn"' } }]],
    ["chat completions", [{ choices: [{ delta: { content: "half" }, finish_reason: null }] }]],
    ["responses", [{ type: "response.output_text.delta", delta: "half" }]],
    ["gemini", [{ candidates: [{ content: { parts: [{ text: "half" }] } }] }]],
    ["no event", []],
  ])("is a broken connection to the agent, and counts as lost: %s", async (_, events) => {
    const { url } = await openEndpoint(streaming(events, { ends: "" }));
    const lease = await openLease(url);
    await expect(asked(lease)).rejects.toThrow();
    expect(lease.fault()).toMatchObject({ fault: "network", message: expect.stringContaining("cut off") });
    expect(lease.answered()).toBe(0);
  });

  test.each([
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } },
    { choices: [{ delta: {}, finish_reason: "tool_calls" }] },
    { type: "response.completed", response: {} },
    { candidates: [{ finishReason: "STOP" }] },
  ])("is whole after its last event, %o", async (event) => {
    const { url } = await openEndpoint(streaming([start, event], { ends: "" }));
    const { lease } = await answerText(url);
    expect(lease.fault()).toBeUndefined();
    expect(lease.answered()).toBe(1);
  });

  test("reaches the agent as far as it came, and is paid so far", async () => {
    const { url } = await openEndpoint(streaming([start], { ends: "" }));
    const lease = await openLease(url);
    const { body } = await post(lease, "/v1/messages");
    let text = "";
    await expect(async () => {
      for await (const chunk of body ?? []) text += Buffer.from(chunk).toString();
    }).rejects.toThrow();
    expect(text).toBe(`data: ${JSON.stringify(start)}\n\n`);
    expect(lease.usage()).toMatchObject({ input_tokens: 7 });
  });
});

describe("a model that refuses to answer is no success, and is paid", () => {
  const counted = { usage: { input_tokens: 7, output_tokens: 1 } };

  test.each([
    { type: "message_delta", delta: { stop_reason: "refusal" }, ...counted },
    { choices: [{ delta: {}, finish_reason: "content_filter" }], ...counted },
    {
      type: "response.incomplete",
      response: { incomplete_details: { reason: "content_filter" }, ...counted },
    },
    {
      candidates: [{ finishReason: "SAFETY" }],
      usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 1 },
    },
    {
      promptFeedback: { blockReason: "OTHER" },
      usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 1 },
    },
  ])("%o", async (event) => {
    for (const answer of [streaming([event], { ends: "" }), saying(event)]) {
      const { url } = await openEndpoint(answer);
      const { lease, text } = await answerText(url);
      expect(text).toContain(JSON.stringify(event));
      expect(lease.fault()).toEqual({
        fault: "refused",
        isRefusal: true,
        message: refusalOf(`the model at ${new URL(url).host}`),
      });
      expect([lease.answered(), lease.usage()]).toEqual([0, { ...counted.usage, cost_usd: 0 }]);
    }
  });

  test("but not one that only writes about refusals", async () => {
    const words = '"stop_reason":"refusal" "finish_reason":"content_filter"';
    const events = [
      { type: "content_block_delta", delta: { text: words } },
      { type: "message_delta", delta: { stop_reason: "end_turn" } },
    ];
    const { url } = await openEndpoint(streaming(events, { ends: "" }));
    const { lease } = await answerText(url);
    expect([lease.fault(), lease.answered()]).toEqual([undefined, 1]);
  });
});

test("a connection that closes in the middle of an answer is reported without Node's words", async () => {
  const { url } = await openEndpoint((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("data: {}\n\n", () => response.destroy());
  });
  const lease = await openLease(url);
  await expect(asked(lease)).rejects.toThrow();
  const message = `${new URL(url).host} cut off its answer`;
  expect(lease.fault()).toEqual({ fault: "network", message });
});

test("a packed answer that breaks off is broken to the agent too", async () => {
  const packed = gzipSync(JSON.stringify({ content: "x".repeat(1_000), usage: { input_tokens: 1 } }));
  const { url } = await openEndpoint((_, response) => {
    response.writeHead(200, {
      "content-type": "application/json",
      "content-encoding": "gzip",
      "content-length": packed.length,
    });
    response.write(packed.subarray(0, packed.length / 2), () => response.destroy());
  });
  const lease = await openLease(url);
  await expect(asked(lease)).rejects.toThrow();
  expect(lease.fault()).toMatchObject({ fault: "network", message: expect.stringContaining("cut off") });
});

test.each(["", "5", '"text"', "null"])("an answer of %j is no message, and counts as lost", async (body) => {
  const { url } = await openEndpoint(saying(body));
  const lease = await openLease(url);
  await post(lease, "/v1/messages").catch(() => undefined);
  expect(lease.fault()?.fault).toBe("network");
  expect(lease.answered()).toBe(0);
});

test("a stream counts up to its end, also without a last line feed, and text that is no event is skipped", async () => {
  const usage = { usage: { input_tokens: 3, output_tokens: 4 } };
  const { url } = await openEndpoint((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`: ${JSON.stringify({ usage: { input_tokens: 900 } })}\n\nevent: x\n`);
    response.end(`data: ${JSON.stringify({ type: "message_stop", ...usage })}`);
  });
  const lease = await openLease(url);
  await asked(lease);
  expect(lease.fault()).toBeUndefined();
  expect(lease.usage()).toEqual({ input_tokens: 3, output_tokens: 4, cost_usd: 0 });
});

test("an endpoint that says no type, or a text type, is read by what it sends", async () => {
  const body = JSON.stringify({ usage: { input_tokens: 3, output_tokens: 4 } });
  for (const [type, text] of [
    ["text/plain", `data: ${body}\n\ndata: [DONE]\n\n`],
    ["text/plain", ` ${body}`],
    ["application/vnd.api+json", body],
  ] as const) {
    const { url } = await openEndpoint((_, response) => {
      response.writeHead(200, { "content-type": type }).end(text);
    });
    const lease = await openLease(url);
    await asked(lease);
    expect([lease.usage(), lease.answered()]).toEqual([
      { input_tokens: 3, output_tokens: 4, cost_usd: 0 },
      1,
    ]);
  }
  const { url } = await openEndpoint((_, response) => {
    response.writeHead(200, { "content-type": "text/plain" }).end("Sign in first [here].");
  });
  const lease = await openLease(url);
  await post(lease, "/v1/messages").catch(() => undefined);
  const message = `${new URL(url).host} answered without a message`;
  expect([lease.fault(), lease.answered()]).toEqual([{ fault: "network", message }, 0]);
});

test("an answer that is no JSON, and names no usage, counts by its length, not by numbers in it", async () => {
  const { url } = await openEndpoint(saying('x", {"input_tokens": 7}'));
  const lease = await openLease(url);
  await post(lease, "/v1/messages").catch(() => undefined);
  expect(lease.usage()).toEqual({ input_tokens: 2, output_tokens: 6, cost_usd: 0 });
});

test("JSON without its end counts as lost", async () => {
  const { url } = await openEndpoint(saying('{"usage":{"input_tokens":7'));
  const lease = await openLease(url);
  await post(lease, "/v1/messages").catch(() => undefined);
  expect(lease.fault()).toMatchObject({ fault: "network", message: expect.stringContaining("cut off") });
});

test("a web page is no answer of a model: the base URL is wrong", async () => {
  const { url } = await openEndpoint((_, response) => {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
    response.end("<html>Sign in</html>");
  });
  const lease = await openLease(url);
  expect(await asked(lease)).toMatchObject({ status: 400, text: expect.stringContaining("base URL") });
  expect(lease.fault()).toMatchObject({ fault: "refused", message: expect.stringContaining("web page") });
});

test("a web page that comes with an error is that error", async () => {
  const { url } = await openEndpoint((_, response) => {
    response.writeHead(503, { "content-type": "text/html" }).end("<html>Down</html>");
  });
  const lease = await openLease(url);
  expect(await asked(lease)).toEqual({ status: 503, text: "<html>Down</html>" });
  const message = `${new URL(url).host} answered 503: <html>Down</html>`;
  expect(lease.fault()).toEqual({ fault: "overloaded", message });
});

test.each([
  [400, "set the base URL of a model API"],
  [403, "allow the requests in the firewall or proxy that answers there, or correct the base URL"],
  [404, "set the base URL of a model API"],
])(
  "a web page that comes with %i is no refusal by a model API: the message says what to set",
  async (status, advice) => {
    const { url } = await openEndpoint((_, response) => {
      response.writeHead(status, { "content-type": "text/html" });
      response.end(
        "<html><head><title>\n Sorry, blocked </title></head><body>Check your billing</body></html>",
      );
    });
    const lease = await openLease(url);
    await asked(lease);
    expect(lease.fault()).toEqual({
      fault: "refused",
      isSetting: true,
      message: `${new URL(url).host} answered ${status} with a web page: Sorry, blocked; ${advice}`,
    });
  },
);

test("a web page or a redirect of an endpoint that has answered before passes", async () => {
  let isDown = false;
  const { url } = await openEndpoint((one, response) =>
    isDown
      ? void response.writeHead(302, { location: "/sorry" }).end()
      : saying({ content: [] })(one, response),
  );
  const lease = await openLease(url);
  await asked(lease);
  expect(lease.fault()).toBeUndefined();
  isDown = true;
  await asked(lease);
  expect(lease.fault()).toMatchObject({
    fault: "network",
    message: expect.stringContaining("redirects (302)"),
  });
});

test("a page of a firewall in front of an endpoint that has answered before passes", async () => {
  let isBlocked = false;
  const { url } = await openEndpoint((one, response) =>
    isBlocked
      ? void response.writeHead(403, { "content-type": "text/html" }).end("<title>Just a moment</title>")
      : saying({ content: [] })(one, response),
  );
  const lease = await openLease(url);
  await asked(lease);
  isBlocked = true;
  await asked(lease);
  const message = `${new URL(url).host} answered 403 with a web page: Just a moment`;
  expect(lease.fault()).toEqual({ fault: "network", message });
});

test("a certificate of an unknown authority is no outage: the message says what to set", () => {
  const error = Object.assign(new Error("self-signed certificate"), { code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
  expect(unreachable(error, { upstream: new URL("https://models.example/v1") })).toMatchObject({
    fault: "refused",
    message: expect.stringMatching(/^models\.example cannot be reached: self-signed.*NODE_EXTRA_CA_CERTS/),
  });
  const reset = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
  expect(unreachable(reset, { upstream: new URL("https://models.example/v1") }).fault).toBe("network");
});

test("a port that does not speak HTTP is no outage: the base URL is wrong", async () => {
  const { url } = await openEndpoint((_, response) => void response.socket?.end("SSH-2.0-OpenSSH_9.6\r\n"));
  const lease = await openLease(url);
  expect(await asked(lease)).toMatchObject({ status: 400 });
  expect(lease.fault()).toMatchObject({
    fault: "refused",
    isSetting: true,
    message: expect.stringMatching(/; correct the base URL: what answers there does not speak HTTP$/),
  });
});

describe("a proxy on the way", () => {
  const of = { upstream: new URL("https://models.example/v1") };

  test.each([
    [407, "set HTTPS_PROXY to the proxy's address with a user and a password that it accepts"],
    [403, "allow this host in the proxy, or list it in NO_PROXY"],
    [502, undefined],
  ])("answers %i to a request for a connection", async (status, advice) => {
    const proxy = createServer();
    proxy.on("connect", (_, socket) => socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`));
    const { url, close } = await listen(proxy);
    onTestFinished(close);
    const agent = new Agent({ proxyEnv: { HTTPS_PROXY: url.replace("//", "//ada:secret@") } });
    const error = await new Promise((resolve) => get(of.upstream, { agent }).on("error", resolve));
    const found = unreachable(error, of);
    expect(found).toMatchObject(
      advice === undefined ? { fault: "network" } : { fault: "refused", isSetting: true },
    );
    const end = advice === undefined ? `${status} No` : `${status} No; ${advice}`;
    expect(found.message).toMatch(/^models\.example cannot be reached: /);
    expect(found.message.endsWith(end)).toBe(true);
    expect(found.message).not.toContain("secret");
  });

  test("has no address: its setting is wrong, not the base URL", () => {
    const error = Object.assign(new Error("getaddrinfo ENOTFOUND proxy.example"), {
      code: "ENOTFOUND",
      hostname: "proxy.example",
    });
    const now = Date.now();
    expect(unreachable(error, of, now).fault).toBe("network");
    expect(unreachable(error, of, now + 20_000).message).toMatch(
      /no address of proxy\.example was found for 20 s: correct HTTPS_PROXY, or this machine's name server$/,
    );
  });
});

test("a port that does not speak TLS is no outage: the base URL is wrong", async () => {
  const { url } = await openEndpoint(saying({ content: [] }));
  const lease = await openLease(url.replace("http:", "https:"));
  expect(await asked(lease)).toMatchObject({ status: 400 });
  const { host } = new URL(url);
  expect(lease.fault()).toMatchObject({
    fault: "refused",
    isSetting: true,
    message: `${host} cannot be reached: no TLS connection (wrong version number); correct the base URL: what answers there does not speak https`,
  });
});

test.each([
  { code: "ENOTFOUND", seconds: 20 },
  { code: "EAI_AGAIN", seconds: 60 },
])(
  "a host without an address ($code) is asked again for $seconds s, then the setting is wrong",
  ({ code, seconds }) => {
    const of = { upstream: new URL(`https://${code.toLowerCase()}.example/v1`) };
    const error = Object.assign(new Error(`getaddrinfo ${code}`), { code });
    const began = Date.now();
    const at = (second: number) => unreachable(error, of, began + second * 1_000);
    expect(at(0).fault).toBe("network");
    expect(at(seconds - 1).fault).toBe("network");
    expect(at(seconds)).toMatchObject({
      fault: "refused",
      isSetting: true,
      message: expect.stringMatching(
        new RegExp(
          `^${of.upstream.host} cannot be reached: .*for ${seconds} s: correct the base URL, or this machine's name server$`,
        ),
      ),
    });
    // A host that was found meanwhile had a blip only.
    const reset = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
    expect(unreachable(reset, of, began + seconds * 1_000).fault).toBe("network");
    expect(at(seconds + 1).fault).toBe("network");
  },
);

test("a host that has answered before is never taken for a wrong setting", async () => {
  const { url } = await openEndpoint(saying({ content: [] }));
  const lease = await openLease(url);
  await asked(lease);
  const of = { upstream: new URL(url) };
  const error = Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" });
  const now = Date.now();
  expect(unreachable(error, of, now).fault).toBe("network");
  expect(unreachable(error, of, now + 3_600_000).fault).toBe("network");
});
