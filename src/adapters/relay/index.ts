import { randomBytes } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Account } from "./exchange.ts";
import { keysGiven } from "./headers.ts";
import type { Loan, LoanRequest } from "./loan.ts";
import { readUpstream } from "./upstream.ts";

/** Holds the real keys, and lets each agent reach its own endpoint and nothing else. */
export interface Relay {
  /** Throws for an upstream that must not be sent a key. */
  lend(request: LoanRequest): Promise<Loan>;
}

/** This process's relay, which listens on a port of loopback from the first loan on. */
export function openRelay(): Relay {
  shared ??= makeRelay();
  return shared;
}

let shared: Relay | undefined;

function makeRelay(): Relay {
  const accounts = new Map<string, Account>();
  let opened: ReturnType<typeof open> | undefined;
  // What it takes to listen and to ask endpoints is much: most agents bring their own way to a model.
  const open = async () => {
    const { exchange, openAccount } = await import("./exchange.ts");
    const server = await listen((request, response) => {
      const token = keysGiven(request).find((key) => accounts.has(key));
      const account = token === undefined ? undefined : accounts.get(token);
      if (account === undefined) return refuse(request, response);
      void exchange({ request, response, account });
    });
    return { server, openAccount };
  };
  return {
    async lend(request) {
      const upstream = readUpstream(request.upstream);
      request.signal.throwIfAborted();
      opened ??= open();
      const { server, openAccount } = await opened;
      const { port } = server.address() as AddressInfo;
      const token = `until-green-${randomBytes(24).toString("hex")}`;
      const account = openAccount({ ...request, upstream });
      accounts.set(token, account);
      const end = () => {
        accounts.delete(token);
        account.stop.abort();
        request.signal.removeEventListener("abort", end);
      };
      request.signal.addEventListener("abort", end, { once: true });
      if (request.signal.aborted) end();
      return {
        baseUrl: `http://127.0.0.1:${port}${request.wire === "openai" ? "/v1" : ""}`,
        key: token,
        usage: () => account.usage,
        fault: () => account.trouble,
        onTrouble: (listener) => void account.troubled.push(listener),
        onBytes: (listener) => void account.listeners.push(listener),
        end,
      };
    },
  };
}

async function listen(ear: (request: IncomingMessage, response: ServerResponse) => void): Promise<Server> {
  const { createServer } = await import("node:http");
  // An agent may take as long as it likes: its own time-outs end it.
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 5_000 }, ear);
  server.on("connect", (_, socket) => socket.destroy());
  server.on("clientError", (_, socket) => socket.destroy());
  // Nothing waits for the relay itself: who uses it is waited for.
  server.on("connection", (socket) => socket.unref());
  server.unref();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return server;
}

function refuse(request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  const message =
    "this relay of until-green knows no such key: it holds only while the agent's answer is awaited";
  response.writeHead(401, { "content-type": "application/json", connection: "close" });
  response.end(JSON.stringify({ type: "error", error: { type: "authentication_error", message } }));
}
