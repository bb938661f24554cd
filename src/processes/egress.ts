import { lookup as usual } from "node:dns";
import { createServer, type IncomingMessage, request as requestHttp, type ServerResponse } from "node:http";
import { request as requestHttps } from "node:https";
import {
  BlockList,
  connect,
  createServer as createSocketServer,
  isIP,
  type LookupFunction,
  type Server,
  type Socket,
} from "node:net";
import { networkInterfaces } from "node:os";
import { isNamed, isReachable, type NetworkRule } from "../ports/network.ts";
import type { Environment } from "./environment.ts";
import { listenInBackground } from "./listen.ts";
import { type UpstreamProxy, upstreamProxy } from "./upstream-proxy.ts";

/** How to serve a program behind the network wall: by sockets in the file system, which cross network namespaces. */
export interface EgressOptions {
  readonly rule: NetworkRule;
  /** The proxy's socket. */
  readonly path: string;
  /** The environment that names this machine's proxy, if it has one. */
  readonly environment: Environment;
  /** Called with each refused host, as the program named it. */
  refused(host: string): void;
  /** How to resolve names; default: as this machine does. */
  readonly lookup?: LookupFunction;
}

/** Opens an HTTP proxy that connects only to the hosts of a rule. Names are resolved here, not in the sandbox. */
export async function openEgress(options: EgressOptions): Promise<Server> {
  const { rule, path, environment, refused } = options;
  const lookup = lookupFor(rule, options.lookup);
  const deny = (host: string) => {
    refused(host.replace(/[^\w.:[\]-]/g, "?").slice(0, 100));
    return `until-green: ${host.slice(0, 100)} is not in \`network\`\n`;
  };
  const server = createServer((request, response) => {
    const target = URL.canParse(request.url ?? "") ? new URL(request.url ?? "") : undefined;
    if (target?.protocol !== "http:") return void response.writeHead(400).end();
    const { hostname: host, port } = target;
    if (!isReachable(rule, { host, port: Number(port || 80) })) {
      request.resume();
      return void response.writeHead(403).end(deny(host));
    }
    const via = upstreamProxy(environment, { protocol: "http", host, port: Number(port || 80) });
    forward(request, response, { target, via, lookup });
  });
  server.on("connect", (request, client: Socket, head) => {
    client.on("error", () => client.destroy());
    const [, host = "", port = ""] = /^\[?([^\]]*?)\]?:(\d+)$/.exec(request.url ?? "") ?? [];
    if (!isReachable(rule, { host, port: Number(port) })) {
      const denial = deny(host);
      return void client.end(
        `HTTP/1.1 403 Forbidden\r\nContent-Length: ${denial.length}\r\nConnection: close\r\n\r\n${denial}`,
      );
    }
    const to = { host, port: Number(port) };
    const opened = (upstream: Socket, first?: Buffer) => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      if (first !== undefined) client.write(first);
      upstream.write(head);
      join(client, upstream);
    };
    const via = upstreamProxy(environment, { protocol: "https", ...to });
    if (via !== undefined) return tunnel(via, to, { client, opened });
    const upstream = connect({ ...to, lookup }, () => opened(upstream));
    upstream.on("error", () => client.destroy());
  });
  await listenInBackground(server, { path });
  return server;
}

/** Opens a socket that leads to a port of this machine. */
export async function openForward(port: number, path: string): Promise<Server> {
  const server = createSocketServer((client) => {
    const upstream = connect({ host: "127.0.0.1", port });
    client.on("error", () => upstream.destroy());
    upstream.on("error", () => client.destroy());
    join(client, upstream);
  });
  await listenInBackground(server, { path });
  return server;
}

interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

/** Asks this machine's proxy for a connection. If it refuses, its status is passed on. */
function tunnel(
  { url, headers }: UpstreamProxy,
  { host, port }: HostAndPort,
  { client, opened }: { readonly client: Socket; opened(upstream: Socket, first: Buffer): void },
): void {
  const to = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const ask = url.protocol === "https:" ? requestHttps : requestHttp;
  const upstreamRequest = ask(url, { method: "CONNECT", path: to, headers: { ...headers, host: to } });
  upstreamRequest.once("connect", (answer, upstream: Socket, first) => {
    upstream.on("error", () => client.destroy());
    if (answer.statusCode === 200) return opened(upstream, first);
    upstream.destroy();
    client.end(`HTTP/1.1 ${answer.statusCode ?? 502} Refused by the proxy of this machine\r\n\r\n`);
  });
  upstreamRequest.once("response", () => client.destroy());
  upstreamRequest.on("error", () => client.destroy());
  client.once("close", () => upstreamRequest.destroy());
  upstreamRequest.end();
}

interface Forwarding {
  readonly target: URL;
  readonly via: UpstreamProxy | undefined;
  readonly lookup: LookupFunction;
}

/** Hop-by-hop headers. `connection` could make the next proxy drop `content-length`, and read the body as a request. */
const ofThisHop = /^(connection|keep-alive|upgrade|proxy-connection|proxy-authorization)$/;

function forward(
  request: IncomingMessage,
  response: ServerResponse,
  { target, via, lookup }: Forwarding,
): void {
  const headers = Object.entries(request.headers).filter(([name]) => !ofThisHop.test(name));
  const ask = via?.url.protocol === "https:" ? requestHttps : requestHttp;
  const upstream = ask(via?.url ?? target, {
    method: request.method,
    ...(via && { path: target.href }),
    headers: { ...Object.fromEntries(headers), ...via?.headers, host: target.host },
    ...(via === undefined && { lookup }),
  });
  upstream.once("response", (answer) => {
    try {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
    } catch {
      // A status or a header that Node does not send.
      answer.destroy();
      return void response.writeHead(502).end();
    }
    answer.pipe(response);
  });
  upstream.on("error", () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
  response.once("close", () => upstream.destroy());
  request.pipe(upstream);
}

function join(one: Socket, other: Socket): void {
  one.pipe(other).pipe(one);
  one.once("close", () => other.destroy());
  other.once("close", () => one.destroy());
}

/**
 * Resolves the name of a host in a rule. A host that only a `*.` entry covers may belong to anybody, so addresses of
 * this machine and of a cloud's metadata service are rejected for it.
 */
function lookupFor(rule: NetworkRule, lookup: LookupFunction = usual): LookupFunction {
  return (host, options, done) => {
    if (isNamed(rule, host)) return lookup(host, options, done);
    lookup(host, { ...options, all: true }, (error, addresses) => {
      // With an error, there are no addresses.
      if (error) return done(error, []);
      const isOuter = outsideThisMachine();
      const outer = typeof addresses === "string" ? [] : addresses.filter(({ address }) => isOuter(address));
      const [first] = outer;
      if (first === undefined) return done(new Error(`${host} leads to this machine`), []);
      if (options.all) done(null, outer);
      else done(null, first.address, first.family);
    });
  };
}

/** Its interfaces may change while a run goes on, as with a VPN, so they are read for each look-up. */
function outsideThisMachine(): (address: string) => boolean {
  const own = new BlockList();
  for (const { address } of Object.values(networkInterfaces()).flatMap((entries) => entries ?? []))
    own.addAddress(address, familyOf(address));
  return (address) => ![inner, own].some((list) => list.check(address, familyOf(address)));
}

const familyOf = (address: string) => (isIP(address) === 6 ? "ipv6" : "ipv4");

/** This machine, its link-local network, and where clouds serve a machine's credentials. */
const inner = new BlockList();
inner.addSubnet("0.0.0.0", 8, "ipv4");
inner.addSubnet("127.0.0.0", 8, "ipv4");
inner.addSubnet("169.254.0.0", 16, "ipv4");
inner.addSubnet("::", 127, "ipv6");
inner.addSubnet("fe80::", 10, "ipv6");
inner.addAddress("168.63.129.16", "ipv4");
inner.addAddress("100.100.100.200", "ipv4");
inner.addAddress("fd00:ec2::254", "ipv6");
inner.addAddress("fd20:ce::254", "ipv6");
