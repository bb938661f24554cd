import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { getKeyProxy } from "../../src/key-proxy/index.ts";

const answer = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";

/** An endpoint that shows the bytes it is sent, as no parser has read them. */
async function openBare(says = answer) {
  let seen = "";
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (data) => {
      seen += data;
      if (seen.includes("\r\n\r\n")) socket.write(says);
    });
    onTestFinished(() => void socket.destroy());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen: () => seen };
}

async function openLease(upstream: string) {
  const key = { header: "x-api-key", value: "sk-real-0123456789" };
  const signal = new AbortController().signal;
  const lease = await getKeyProxy().lease({ wire: "anthropic", upstream, key, signal });
  onTestFinished(() => lease.end());
  return lease;
}

/** Sends a request byte by byte as given, with the lent key in it; the first of what comes back. */
async function send(lease: Awaited<ReturnType<typeof openLease>>, lines: readonly string[], body: string) {
  const socket = connect(Number(new URL(lease.baseUrl).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.write([...lines, "host: x", `x-api-key: ${lease.key}`, "", body].join("\r\n"));
  const [response] = await once(socket, "data");
  return String(response);
}

const hidden = "POST /evil HTTP/1.1\r\nhost: evil\r\ncontent-length: 0\r\n\r\n";
const chunked = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`;

test.each(["GET", "HEAD"])(
  "the body of a %s stays its body: what looks like a request in it is none to the endpoint",
  async (method) => {
    const { url, seen } = await openBare();
    await send(
      await openLease(url),
      [`${method} /v1/models HTTP/1.1`, "transfer-encoding: chunked"],
      chunked,
    );
    await wait(50);
    expect(seen().toLowerCase()).toContain("transfer-encoding: chunked");
    expect(seen()).toContain(`\r\n\r\n${hidden.length.toString(16)}\r\nPOST /evil`);
  },
);

test("a request without a body is sent on without one", async () => {
  const { url, seen } = await openBare();
  await send(await openLease(url), ["GET /v1/models HTTP/1.1"], "\r\n");
  expect(seen().toLowerCase()).not.toMatch(/content-length|transfer-encoding/);
  expect(seen()).toMatch(/\r\n\r\n$/);
});

test("nor is it one where the request says that its length is of this connection only", async () => {
  const { url, seen } = await openBare();
  const lines = ["GET /v1/models HTTP/1.1", `content-length: ${hidden.length}`, "connection: content-length"];
  await send(await openLease(url), lines, hidden);
  await wait(50);
  expect(seen().toLowerCase()).toContain(`content-length: ${hidden.length}\r\n`);
});

test.each(["TRACE", "OPTIONS", "PROPFIND"])(
  "a %s is not passed on: its answer could hold the key",
  async (method) => {
    const { url, seen } = await openBare();
    expect(await send(await openLease(url), [`${method} /v1/models HTTP/1.1`], "")).toMatch(/^HTTP\/1.1 404/);
    expect(seen()).toBe("");
  },
);

test("a connection is not upgraded, whichever side would like to", async () => {
  const { url, seen } = await openBare(
    "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n",
  );
  const lease = await openLease(url);
  const asks = ["GET /v1/models HTTP/1.1", "connection: upgrade", "upgrade: websocket"];
  expect(await send(lease, asks, "")).toMatch(/^HTTP\/1.1 404/);
  expect(seen()).toBe("");
  expect(await send(lease, ["POST /v1/messages HTTP/1.1", "content-length: 0"], "")).toMatch(
    /^HTTP\/1.1 502/,
  );
  expect(lease.fault()).toMatchObject({ fault: "network" });
});
