import {
  Agent as HttpAgent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestHttp,
  type ServerResponse,
} from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { env } from "node:process";
import { type Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { Usage } from "../../ports/agent.ts";
import { readRefusal, readStreamError, type Trouble } from "./fault.ts";
import { headersBack, headersOut } from "./headers.ts";
import type { LoanRequest } from "./loan.ts";
import { openMeter } from "./meter.ts";
import { isLoopback, targetOf } from "./upstream.ts";

/** What the relay knows of one loan. */
export interface Account extends Omit<LoanRequest, "upstream"> {
  readonly upstream: URL;
  readonly stop: AbortController;
  readonly listeners: (() => void)[];
  readonly troubled: ((trouble: Trouble, inARow: number) => void)[];
  usage: Usage | undefined;
  trouble: Trouble | undefined;
  /** How many exchanges have failed since the last that went well. */
  failed: number;
}

/** A new account, with nothing on it. */
export const openAccount = (of: Omit<LoanRequest, "upstream"> & { readonly upstream: URL }): Account => ({
  ...of,
  stop: new AbortController(),
  listeners: [],
  troubled: [],
  usage: undefined,
  trouble: undefined,
  failed: 0,
});

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly account: Account;
}

/** What models are asked by; a TRACE would be answered with the key in it. */
const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]);

/** Passes one request on to the account's endpoint and its answer back, as they come. */
export async function exchange({ request, response, account }: Exchange): Promise<void> {
  const target = methods.has(request.method ?? "") ? targetOf(request.url ?? "", account) : undefined;
  if (target === undefined || request.headers.upgrade !== undefined) {
    request.resume();
    return fail(response, { status: 404, message: "the relay does not go there" });
  }
  const gone = new AbortController();
  const stop = AbortSignal.any([account.stop.signal, gone.signal]);
  response.once("close", () => gone.abort());
  try {
    const answer = await send({ request, target, account, stop });
    await bringBack({ answer, response, account, method: request.method ?? "", stop });
  } catch (error) {
    // Who went away has nothing to complain of.
    if (!stop.aborted) {
      const message = `${target.host} cannot be reached: ${wordsOf(error)}`;
      fail(response, { status: 502, message });
      return note(account, { fault: "network", message });
    }
    response.destroy();
  }
}

/** How an exchange ended. */
function note(account: Account, trouble: Trouble | undefined): void {
  account.trouble = trouble;
  account.failed = trouble === undefined ? 0 : account.failed + 1;
  if (trouble === undefined) return;
  for (const listener of account.troubled) listener(trouble, account.failed);
}

const wordsOf = (error: unknown): string => {
  const { message, code } = error as NodeJS.ErrnoException;
  return message || code || String(error);
};

function fail(
  response: ServerResponse,
  { status, message }: { readonly status: number; readonly message: string },
) {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ type: "error", error: { type: "api_error", message } }));
}

interface Sending {
  readonly request: IncomingMessage;
  readonly target: URL;
  readonly account: Account;
  readonly stop: AbortSignal;
}

async function send({ request, target, account, stop }: Sending): Promise<IncomingMessage> {
  const isPlain = target.protocol === "http:";
  const outgoing = (isPlain ? requestHttp : requestHttps)(target, {
    method: request.method,
    headers: { ...headersOut(request.headers, account.key), ...framing(request.headers), host: target.host },
    agent: isPlain ? plainAgent : isLoopback(target) ? directAgent : proxiedAgent,
    signal: stop,
  });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once("response", resolve);
    outgoing.on("error", reject);
    outgoing.once("close", () => reject(new Error("it closed without an answer")));
  });
  // An endpoint may answer before it has read all; the agent must get rid of the rest to read that answer.
  outgoing.once("close", () => request.resume());
  request.pipe(listening(account)).pipe(outgoing);
  return await answered;
}

/** How long the body is, whatever else is said of it: of some methods Node would send one bare, as a request of its own. */
const framing = ({ "content-length": length, "transfer-encoding": coding }: IncomingHttpHeaders) => {
  if (length !== undefined) return { "content-length": length };
  return coding === undefined ? {} : { "transfer-encoding": "chunked" };
};

/** Only endpoints elsewhere are reached by the proxy that this machine's environment names. */
const plainAgent = new HttpAgent({ keepAlive: true });
const directAgent = new HttpsAgent({ keepAlive: true });
const proxiedAgent = new HttpsAgent({ keepAlive: true, proxyEnv: env });

const listening = ({ listeners }: Account) => passing(() => ring(listeners));

const ring = (listeners: readonly (() => void)[]) => {
  for (const listener of listeners) listener();
};

const passing = (look: (chunk: Buffer) => void, atEnd = () => {}) =>
  new Transform({
    flush(done) {
      atEnd();
      done();
    },
    transform(chunk: Buffer, _, done) {
      look(chunk);
      done(null, chunk);
    },
  });

interface Bringing {
  readonly answer: IncomingMessage;
  readonly response: ServerResponse;
  readonly account: Account;
  readonly method: string;
  readonly stop: AbortSignal;
}

/** How much of an error's body is read to class it. */
const mostOfError = 16 * 1024;

async function bringBack({ answer, response, account, method, stop }: Bringing): Promise<void> {
  const status = answer.statusCode ?? 502;
  const host = account.upstream.host;
  if (status >= 300 && status < 400 && status !== 304) {
    answer.destroy();
    const message = `${host} wants to be asked elsewhere (${status}); set the base URL it means`;
    fail(response, { status: 502, message });
    return note(account, { fault: "refused", message });
  }
  let isBroken = false;
  answer.once("error", (error) => {
    if (stop.aborted) return;
    isBroken = true;
    note(account, { fault: "network", message: `${host} broke its answer off: ${wordsOf(error)}` });
  });
  const { body, unpacked } = unpack(answer);
  const meter = openMeter(String(answer.headers["content-type"] ?? ""));
  let refusal = "";
  let isSettled = false;
  const settle = () => {
    if (isSettled) return;
    isSettled = true;
    add(account, meter.usage());
    // Who asks whether an endpoint is there has heard that it is.
    if (isBroken || method !== "POST") return;
    const { headers } = answer;
    const { secret } = account.key;
    if (status >= 400) return note(account, readRefusal({ status, headers, body: refusal, host, secret }));
    note(account, meter.error() === undefined ? undefined : readStreamError(meter.error(), host));
  };
  const hear = (chunk: Buffer) => {
    ring(account.listeners);
    if (status < 400) meter.push(chunk);
    else if (refusal.length < mostOfError) refusal += chunk.toString("utf8");
  };
  response.writeHead(status, headersBack(answer.headers, unpacked));
  response.flushHeaders();
  // Whoever has heard the end may ask at once what came of it: it is settled before that.
  const look = passing(hear, settle);
  await pipeline(body, look, response, { signal: stop }).catch(() => response.destroy());
  settle();
}

function unpack(answer: IncomingMessage): { readonly body: Readable; readonly unpacked: boolean } {
  const make = unpackers[answer.headers["content-encoding"]?.toLowerCase() ?? ""];
  if (make === undefined) return { body: answer, unpacked: false };
  const unpacker = make();
  answer.on("error", (error) => unpacker.destroy(error));
  return { body: answer.pipe(unpacker), unpacked: true };
}

const unpackers: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

function add(account: Account, used: Usage | undefined): void {
  if (used === undefined) return;
  const { input_tokens = 0, output_tokens = 0, cost_usd = 0 } = account.usage ?? {};
  account.usage = {
    input_tokens: input_tokens + used.input_tokens,
    output_tokens: output_tokens + used.output_tokens,
    cost_usd: cost_usd + used.cost_usd,
  };
}
