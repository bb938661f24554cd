import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { listen } from "../processes/listen.ts";
import { openConnection } from "./connection.ts";
import type { Login } from "./credentials.ts";
import { type RefUpdateCommand, readCommands, refusedByUs } from "./push-commands.ts";

export interface AuthProxyOptions {
  /** The upstream address, and the credentials that the proxy adds to each request. */
  readonly login: Login;
  readonly service: "git-upload-pack" | "git-receive-pack";
  /** The only ref updates that may pass. */
  readonly commands: readonly RefUpdateCommand[];
}

export interface AuthProxy {
  /** The address given to git instead of the repository's. */
  readonly url: string;
  /** Why the host could not be reached, if it could not. */
  trouble(): string | undefined;
  close(): void;
}

/**
 * A proxy to one repository for one git process, so that git never holds the credentials. A program that reads this
 * address in git's arguments or environment can only do what that git may do, and only while it runs.
 */
export async function openAuthProxy(options: AuthProxyOptions): Promise<AuthProxy> {
  const base = `/${randomBytes(24).toString("hex")}`;
  const stop = new AbortController();
  const connection = openConnection(options.login, stop.signal);
  let failure: string | undefined;
  const server = createServer({ requestTimeout: 0 }, (request, response) => {
    const failed = (error: unknown) => {
      if (!stop.signal.aborted) failure ??= messageOfCause(error);
      // No status by which a host refuses credentials: the reason is ours.
      refuse(response, 502);
    };
    pass({ ...options, base, connection, request, response }).catch(failed);
  });
  server.on("connect", (_, socket) => socket.destroy());
  server.on("clientError", (_, socket) => socket.destroy());
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}${base}`,
    trouble: () => failure,
    close() {
      stop.abort();
      connection.close();
      server.close();
      server.closeAllConnections();
    },
  };
}

interface Passing extends AuthProxyOptions {
  readonly base: string;
  readonly connection: ReturnType<typeof openConnection>;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

async function pass(passing: Passing): Promise<void> {
  const { request, response, service, base, connection } = passing;
  const requestLine = `${request.method} ${request.url}`;
  if (requestLine === `GET ${base}/info/refs?service=${service}`) {
    request.resume();
    const answer = await connection.discover(`info/refs?service=${service}`, headersOut(request));
    return await sendBack(answer, response);
  }
  if (requestLine !== `POST ${base}/${service}`) return refuse(response, 404);
  const head = service === "git-receive-pack" ? await readCommands(request, passing.commands) : Buffer.of();
  if (head === undefined) throw new Error(refusedByUs);
  const answer = await connection.post(service, { headers: headersOut(request), head, body: request });
  await sendBack(answer, response);
}

async function sendBack(answer: IncomingMessage, response: ServerResponse): Promise<void> {
  response.writeHead(answer.statusCode ?? 502, kept(answer, returned));
  await pipeline(answer, response);
}

const headersOut = (request: IncomingMessage) => kept(request, sent);

const kept = ({ headers }: IncomingMessage, names: readonly string[]) =>
  Object.fromEntries(names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])));

const sent = [
  "accept",
  "accept-encoding",
  "accept-language",
  "content-encoding",
  "content-length",
  "content-type",
  "git-protocol",
  "pragma",
  "user-agent",
];
const returned = ["cache-control", "content-encoding", "content-length", "content-type", "www-authenticate"];

function refuse(response: ServerResponse, status: number): void {
  if (response.headersSent) return void response.destroy();
  // Do not read the rest of the request body: it may be large.
  response.writeHead(status, { connection: "close" }).end();
}

const messageOfCause = (error: unknown): string => {
  const { message, code } = error as NodeJS.ErrnoException;
  return message || code || String(error);
};
