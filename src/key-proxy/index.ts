import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listenInBackground } from "../processes/listen.ts";
import { keysGiven } from "./headers.ts";
import type { KeyLease, KeyLeaseRequest } from "./lease.ts";
import { createLease, endLease, type LeaseState } from "./lease-state.ts";
import { readUpstream } from "./upstream.ts";

/** Holds the real keys, and lets each agent reach its own endpoint and nothing else. */
export interface KeyProxy {
  /** Throws for an upstream that must not receive a key. */
  lease(request: KeyLeaseRequest): Promise<KeyLease>;
}

/** This process's key proxy; it listens on a loopback port from the first lease on. */
export function getKeyProxy(): KeyProxy {
  shared ??= makeKeyProxy();
  return shared;
}

let shared: KeyProxy | undefined;

function makeKeyProxy(): KeyProxy {
  const accounts = new Map<string, LeaseState>();
  let opened: Promise<number> | undefined;
  // Loaded on demand: most agents reach a model without the proxy.
  const open = async () => {
    const { forwardRequest } = await import("./forward.ts");
    // No time limit here: agent calls have their own.
    const server = createServer({ requestTimeout: 0, keepAliveTimeout: 5_000 }, (request, response) => {
      const token = keysGiven(request).find((key) => accounts.has(key));
      const account = token === undefined ? undefined : accounts.get(token);
      if (account === undefined) return refuse(request, response);
      void forwardRequest({ request, response, account });
    });
    server.on("connect", (_, socket) => socket.destroy());
    server.on("clientError", (_, socket) => socket.destroy());
    return await listenInBackground(server);
  };
  return {
    async lease(request) {
      const upstream = readUpstream(request.upstream);
      request.signal.throwIfAborted();
      opened ??= open();
      const port = await opened;
      const token = `until-green-${randomBytes(24).toString("hex")}`;
      const account = createLease({ ...request, upstream });
      accounts.set(token, account);
      const end = () => {
        accounts.delete(token);
        endLease(account);
        request.signal.removeEventListener("abort", end);
      };
      request.signal.addEventListener("abort", end, { once: true });
      if (request.signal.aborted) end();
      return {
        baseUrl: `http://127.0.0.1:${port}${request.wire === "openai" ? "/v1" : ""}`,
        key: token,
        usage: () => account.usage,
        fault: () => account.lastError,
        answered: () => account.answered,
        onAnswered: (listener) => void account.answers.push(listener),
        isCutShort: () => account.isCutShort,
        silentHost: () => account.silentHost,
        onTrouble: (listener) => void account.troubled.push(listener),
        onBytes: (listener) => void account.listeners.push(listener),
        end,
      };
    },
  };
}

function refuse(request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  const message = "this key proxy knows no such key: a key is valid only during the agent's call";
  response.writeHead(401, { "content-type": "application/json", connection: "close" });
  response.end(JSON.stringify({ type: "error", error: { type: "authentication_error", message } }));
}
